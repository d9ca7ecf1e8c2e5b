// A scene before a simulated sensor: values only. The sensor asks for the state of the parts at each frame.

/// Parts, and the light on them.
public struct SimulatedScene: Equatable, Sendable {
  public var name: String
  /// From back to front: later parts hide earlier ones.
  public var parts: [ScenePart]
  public var light: SceneLight

  public init(name: String, parts: [ScenePart], light: SceneLight) {
    self.name = name
    self.parts = parts
    self.light = light
  }

  /// The texts of all parts, shown or not.
  public var texts: [String] { parts.compactMap(\.text) }

  /// The texts of the parts that are there, in view or not, at a moment in seconds since the scene began.
  public func texts(at seconds: Double) -> [String] {
    parts.filter { $0.shown.contains(seconds) }.compactMap(\.text)
  }

  /// The same scene with its labelled parts appearing later. Their paths begin when they appear.
  public func delayed(by seconds: Double) -> SimulatedScene {
    var scene = self
    for index in parts.indices where parts[index].text != nil {
      let shown = parts[index].shown
      scene.parts[index].shown = (shown.lowerBound + seconds)...(shown.upperBound + seconds)
    }
    return scene
  }
}
