package io.retso.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class AuditReportTest {
  private final AuditReport report = new AuditReport(100);

  private static long unreachable() throws IOException {
    throw new IOException("nobody there");
  }

  private static long broken() {
    throw new IllegalStateException("no such account");
  }

  private static long exhausted() {
    throw new StackOverflowError();
  }

  private Verdict verdict() {
    return new Verdict(report.wrongs(), report.failures());
  }

  @Test
  void anAuditMayFailNowAndThen() {
    report.make(() -> 100);
    report.make(AuditReportTest::unreachable);
    assertEquals(1, report.succeeded());
    assertEquals(1, report.failed());
    assertEquals("java.io.IOException: nobody there", report.lastFailure());
    assertEquals(100, report.lastTotal());
    assertEquals(List.of("VERDICT: the money adds up."), verdict().lines());
  }

  @Test
  void anAuditorThatMostlyFailsIsNotAccepted() {
    report.make(() -> 100);
    report.make(AuditReportTest::unreachable);
    report.make(AuditReportTest::unreachable);
    assertFalse(verdict().isGood());
    assertEquals(
        List.of(
            "FAILED: 1 audits succeeded, 2 failed",
            "VERDICT: no money is missing, but the demo failed. Please report this, with the"
                + " directory below."),
        verdict().lines());
  }

  @Test
  void noAuditButTheLastIsNotAccepted() {
    report.last(100);
    assertEquals(List.of("0 audits succeeded, 0 failed"), report.failures());
  }

  @Test
  void anotherTotalIsWrong() {
    report.make(() -> 99);
    assertEquals(
        List.of(
            "WRONG: an audit found 99 instead of 100",
            "VERDICT: THE MONEY DOES NOT ADD UP. Please report this, with the directory below."),
        verdict().lines());
  }

  @Test
  void anotherTotalAtTheEndIsWrong() {
    report.make(() -> 100);
    report.last(101);
    assertEquals(List.of("the last audit found 101 instead of 100"), report.wrongs());
  }

  @Test
  void anAuditThatBreaksIsWrong() {
    report.make(() -> 100);
    report.make(AuditReportTest::broken);
    report.make(AuditReportTest::exhausted);
    assertEquals(2, report.wrongs().size());
    assertTrue(report.wrongs().get(0).contains("no such account"), report.wrongs()::toString);
    assertEquals(0, report.failed());
    assertFalse(verdict().isGood());
  }
}
