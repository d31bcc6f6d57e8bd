package io.retso.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What the auditor found. Thread-safe. */
final class AuditReport {
  /** Adds up all the money there is. */
  interface Audit {
    long sum() throws IOException;
  }

  private final long expected;
  private final List<String> wrongs = new ArrayList<>();
  private long succeeded;
  private long failed;
  private long lastTotal;
  private String lastFailure = "";

  /** Before the first audit, each of which must find {@code expected}. */
  AuditReport(long expected) {
    this.expected = expected;
  }

  /** Makes an audit. It may fail if HBase or the oracle is not there; whatever else is wrong. */
  void make(Audit audit) {
    try {
      found(audit.sum());
    } catch (IOException e) {
      failed(e);
    } catch (RuntimeException | Error e) {
      broke(e);
    }
  }

  private synchronized void found(long sum) {
    succeeded++;
    lastTotal = sum;
    if (sum != expected) {
      wrongs.add("an audit found " + sum + " instead of " + expected);
    }
  }

  /** Takes the sum of the audit after all work; it does not count as one of the auditor's. */
  synchronized void last(long sum) {
    if (sum != expected) {
      wrongs.add("the last audit found " + sum + " instead of " + expected);
    }
  }

  private synchronized void failed(IOException failure) {
    failed++;
    lastFailure = failure.toString();
  }

  private synchronized void broke(Throwable failure) {
    wrongs.add("an audit ended in what no correct program sees: " + failure);
  }

  /** Audits that came to an end. */
  synchronized long succeeded() {
    return succeeded;
  }

  /** Audits that did not, as HBase or the oracle was not there. */
  synchronized long failed() {
    return failed;
  }

  /** What the last of those said, or nothing. */
  synchronized String lastFailure() {
    return lastFailure;
  }

  /** What the last audit found. */
  synchronized long lastTotal() {
    return lastTotal;
  }

  /** Everything that is not as it must be. */
  synchronized List<String> wrongs() {
    return List.copyOf(wrongs);
  }

  /** Why too little was audited; empty if it was enough. */
  synchronized List<String> failures() {
    return succeeded == 0 || failed > succeeded
        ? List.of(succeeded + " audits succeeded, " + failed + " failed")
        : List.of();
  }
}
