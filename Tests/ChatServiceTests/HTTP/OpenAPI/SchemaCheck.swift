// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Compares JSON with a schema of the description, more strictly than JSON Schema: a member that is not described is a
/// fault.
struct SchemaCheck {
    let document: YAMLValue

    /// What is wrong, each with its place.
    func faults(_ value: Any, _ schema: YAMLValue?, at place: String = "$") -> [String] {
        guard let schema = resolve(schema) else { return ["\(place): no such schema"] }
        if let choices = schema["anyOf"]?.items {
            let found = choices.map { faults(value, $0, at: place) }
            return found.contains(where: \.isEmpty) ? [] : found.first ?? []
        }
        switch schema["type"]?.string {
        case "object": return object(value, schema, place)
        case "array":
            guard let items = value as? [Any] else { return ["\(place): not an array"] }
            return items.enumerated().flatMap { faults($1, schema["items"], at: "\(place)[\($0)]") }
        case "string":
            guard let text = value as? String else { return ["\(place): not a string"] }
            let allowed = schema["enum"]?.items.compactMap(\.string) ?? [text]
            return allowed.contains(text) ? [] : ["\(place): \(text) is not one of \(allowed)"]
        case "boolean":
            return (value as? NSNumber).map { CFTypeName($0) == "bool" } ?? false ? [] : ["\(place): not a boolean"]
        case "integer", "number":
            return (value as? NSNumber).map { CFTypeName($0) == "number" } ?? false ? [] : ["\(place): not a number"]
        default: return ["\(place): the schema has no type"]
        }
    }

    private func object(_ value: Any, _ schema: YAMLValue, _ place: String) -> [String] {
        guard let members = value as? [String: Any] else { return ["\(place): not an object"] }
        let missing = (schema["required"]?.items ?? []).compactMap(\.string).filter { members[$0] == nil }
        var faults = missing.map { "\(place).\($0): missing" }
        for (name, member) in members {
            if let described = schema["properties"]?[name] {
                faults += self.faults(member, described, at: "\(place).\(name)")
            } else if let others = schema["additionalProperties"] {
                faults += self.faults(member, others, at: "\(place).\(name)")
            } else {
                faults.append("\(place).\(name): not described")
            }
        }
        return faults
    }

    private func resolve(_ schema: YAMLValue?) -> YAMLValue? {
        guard let reference = schema?["$ref"]?.string else { return schema }
        var found: YAMLValue? = document
        for part in reference.split(separator: "/").dropFirst() { found = found?[String(part)] }
        return resolve(found)
    }
}

/// `bool` or `number`: JSON's two kinds that Foundation keeps in one class.
private func CFTypeName(_ number: NSNumber) -> String {
    String(cString: number.objCType) == "c" || String(cString: number.objCType) == "B" ? "bool" : "number"
}
