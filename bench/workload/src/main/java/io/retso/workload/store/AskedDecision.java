package io.retso.workload.store;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionStatus;
import java.io.IOException;

/** What became of the writer of one version, which readers ask the oracle. Thread-safe. */
final class AskedDecision extends Decision {
  private final OracleClient oracle;

  AskedDecision(long start, OracleClient oracle) {
    super(start);
    this.oracle = oracle;
  }

  /** Below the watermark all that is not decided is aborted. */
  @Override
  boolean mayCommit(long watermark) {
    return start >= watermark;
  }

  @Override
  long commitBefore(long timestamp) throws IOException {
    if (start >= timestamp) {
      return 0; // so it commits later
    }
    if (commit() == OPEN) {
      ask(timestamp);
    }
    long commit = commit();
    return commit > 0 && commit < timestamp ? commit : 0;
  }

  /**
   * An open writer commits after the reader, so to this one it is as if it had not written. What
   * the oracle no longer knows was cleaned up before its answer, or is aborted.
   */
  private void ask(long reader) throws IOException {
    TransactionStatus status;
    try {
      status = oracle.status(start, reader);
    } catch (OracleException e) {
      throw new IOException(e);
    }
    switch (status.state()) {
      case COMMITTED -> decide(status.commitTimestamp());
      case ABORTED, RETRY -> decide(ABORTED); // without effect if it was cleaned up meanwhile
      case OPEN -> {}
    }
  }
}
