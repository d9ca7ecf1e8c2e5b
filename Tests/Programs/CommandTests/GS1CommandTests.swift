import Foundation
import Testing

@Suite("reticle gs1") struct GS1CommandTests {
  @Test func `JSON has elements, problems, the bracketed form and the Digital Link`() throws {
    let run = try CommandRun(
      "gs1", "--format", "json", "^010950110153000310AB(1)\u{1D}17261100", "(01)09501101530004", "(3932)9780299(422)040")
    #expect(run.status == 1)
    let lines = run.lines
    let first = #"""
      {"input":"^010950110153000310AB(1)\u001d17261100","valid":true,"elements":[\#
      {"ai":"01","title":"GTIN","value":"09501101530003"},{"ai":"10","title":"BATCH/LOT","value":"AB(1)"},\#
      {"ai":"17","title":"USE BY or EXPIRY","value":"261100","date":"2026-11-30","month":"2026-11"}],"problems":[],\#
      "bracketed":"(01)09501101530003(10)AB\\(1)(17)261100",\#
      "digital_link":"https://id.gs1.org/01/09501101530003/10/AB%281%29?17=261100"}
      """#
    #expect(lines.first == first)
    let second = #"""
      {"input":"(01)09501101530004","valid":false,"elements":[{"ai":"01","title":"GTIN","value":"09501101530004"}],\#
      "problems":[{"ai":"01","code":"check-digit","message":"(01): its check digit is 4; by the digits before it must be 3"}],\#
      "bracketed":"(01)09501101530004","digital_link":null}
      """#
    #expect(lines.dropFirst().first == second)
    #expect(lines.last?.contains(#""value":"9780299","number":"2.99","currency":"EUR"}"#) == true)
    #expect(lines.last?.contains(#""value":"040","countries":["AT"]}"#) == true)
    #expect(run.objects.count == 3)
  }

  @Test func `lines of standard input are read one by one, and the stem of the link can be chosen`() throws {
    let run = try CommandRun(
      "gs1", "--format", "json", "--stem", "https://example.com/p/", "-",
      input: "^0109501101530003\nhttps://id.gs1.org/01/09501101530003/21/a%2Fb\n")
    #expect(run.status == 0)
    #expect(
      run.objects.map { $0["digital_link"] as? String } == [
        "https://example.com/p/01/09501101530003", "https://example.com/p/01/09501101530003/21/a%2Fb",
      ])
  }

  @Test(arguments: [("^0109501101530003", Int32(0)), ("(10)A", 1), ("hello", 2)])
  func `the exit status says whether the data are valid`(data: String, status: Int32) throws {
    let run = try CommandRun("gs1", data)
    #expect(run.status == status)
    #expect(run.text.contains("! ") == (status != 0))
  }

  @Test func `an overlong line is reported, and the next one is read`() throws {
    let run = try CommandRun("gs1", "--format", "json", "-", input: String(repeating: "9", count: 9000) + "\n^99a\n")
    #expect(run.status == 1)
    #expect(run.objects.map { $0["valid"] as? Bool } == [false, true])
  }

  @Test func `text has one line per element, with its meaning`() throws {
    let run = try CommandRun("gs1", "(01)09501101530003(3103)001750(17)261100")
    #expect(
      run.lines == [
        "(01)\tGTIN\t09501101530003", "(3103)\tNET WEIGHT (kg)\t001750\tnumber 1.750",
        "(17)\tUSE BY or EXPIRY\t261100\tdate 2026-11-30\tmonth 2026-11",
        "https://id.gs1.org/01/09501101530003?3103=001750&17=261100",
      ])
  }

  @Test func `a stem that is not an address is refused`() throws {
    let run = try CommandRun("gs1", "--stem", "example", "^99a")
    #expect(run.status == 64 && run.errors.contains("give one such as https://example.com/products"))
  }
}
