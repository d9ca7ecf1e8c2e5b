// The way out through a proxy, where the network of a shop allows no other.

import DeliveryModel
import HTTPClient

/// An HTTP proxy between the station and a receiver.
public struct WebhookProxy: Equatable, Sendable {
  public var host: String
  /// 1…65535.
  public var port: Int
  /// A file whose first line is `user:password`, sent as Basic (RFC 7617). Read once, at the start.
  public var credentialsFile: String?

  /// The port where none is written, as proxies' own documentation has it.
  static let portDefault = 3128

  /// Reads `http://host:port` or `http://host`, with or without a slash at the end; nil for anything else, also for user
  /// names in it: a password belongs in a file.
  public init?(_ text: String) {
    guard text.hasPrefix("http://") else { return nil }
    let authority = text.dropFirst(7).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard authority.count == 1 || authority[1].isEmpty, let place = authority.first, !place.contains("@") else { return nil }
    let colon = place.lastIndex(of: ":").flatMap { place.hasSuffix("]") ? nil : $0 }
    let name = place[..<(colon ?? place.endIndex)]
    let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
    guard !name.isEmpty, isBracketed || !name.contains(":"), name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    host = isBracketed ? String(name.dropFirst().dropLast()) : String(name)
    guard let colon else {
      port = Self.portDefault
      return
    }
    guard let number = Int(place[place.index(after: colon)...]), (1...65535).contains(number) else { return nil }
    port = number
  }

  /// The proxy that the environment names for a URL: `HTTPS_PROXY` or `https_proxy` for https, only `http_proxy` for http,
  /// none for hosts in `NO_PROXY`, where a name matches itself and its subdomains, and `*` matches all.
  ///
  /// - Returns: nil for none; what is written if it is not a proxy's address.
  public static func named(in environment: [String: String], for url: String) -> Result<WebhookProxy, Unreadable>? {
    let isSecure = url.hasPrefix("https://")
    let names = isSecure ? ["HTTPS_PROXY", "https_proxy"] : ["http_proxy"]
    guard let text = names.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else { return nil }
    let exceptions = environment["NO_PROXY"] ?? environment["no_proxy"] ?? ""
    guard !isException(WebhookURL.place(url)?.host ?? "", exceptions) else { return nil }
    return WebhookProxy(text).map { .success($0) } ?? .failure(Unreadable(text: text))
  }

  /// A text in the environment that is not a proxy's address.
  public struct Unreadable: Error, Equatable, Sendable {
    public let text: String
  }

  /// The text of a proxy, valid or not, without a password that may be in it: `http://…@proxy:3128`.
  public static func shown(_ text: String) -> String {
    let scheme = text.firstRange(of: "://").map { text[..<$0.upperBound] } ?? ""
    guard let end = text.lastIndex(of: "@"), end >= scheme.endIndex else { return text }
    return scheme + "…" + text[end...]
  }

  private static func isException(_ host: String, _ list: String) -> Bool {
    list.lowercased().split(separator: ",").contains { item in
      let name = item.filter { $0 != " " }
      let bare = name.hasPrefix(".") ? String(name.dropFirst()) : name
      return bare == "*" || host == bare || host.hasSuffix("." + bare)
    }
  }

  func connectionProxy() throws(DeliveryProblem) -> HTTPSettings.Proxy {
    guard let credentialsFile else { return HTTPSettings.Proxy(host: host, port: port) }
    let credentials = try Credentials.read(file: credentialsFile)
    return HTTPSettings.Proxy(host: host, port: port, user: credentials.user, password: credentials.password)
  }
}
