package io.retso.hbase.failures;

import io.retso.hbase.layout.Refusal;
import io.retso.text.ErrorText;
import java.io.IOException;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;

/** Failures of HBase whose messages say too little: what they mean, and what to do. Stateless. */
final class StoreFailures {
  /** What region servers say that refuse requests with many rows. */
  private static final String TOO_MANY_ROWS = "Rejecting large batch operation";

  private static final String CONSTRAINT = "constraint.ConstraintException";

  private StoreFailures() {}

  /** Explains a failure; the class stays the same if an application may look for it. */
  static Throwable explained(Throwable failure) {
    // HBase's client says that the attempts of a batch are exhausted, though it made only one.
    Throwable cause =
        failure instanceof RetriesExhaustedException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof TableNotEnabledException) {
      return because(
          failure,
          new TableNotEnabledException(
              "table "
                  + ErrorText.of(cause)
                  + " is disabled: enable it (enable in HBase's shell), and run the transaction"
                  + " again"));
    }
    if (cause instanceof TableNotFoundException) {
      return because(
          failure,
          new TableNotFoundException(
              "table " + ErrorText.of(cause) + " does not exist any more: create and prepare it"));
    }
    if (failure.toString().contains(CONSTRAINT)) {
      return because(
          failure,
          new DoNotRetryIOException(
              "a constraint of the table refused a put; to constraints, a delete of a transaction"
                  + " is a put of a reserved value of 16 bytes: let them pass it"
                  + " (io.retso.hbase.layout.Tombstone.is); HBase says: "
                  + Refusal.text(failure)));
    }
    if (ErrorText.of(failure).contains(TOO_MANY_ROWS)) {
      return because(
          failure,
          new IOException(
              "region servers refuse requests of so many rows: set"
                  + " hbase.rpc.rows.warning.threshold of this client to what it is there; HBase"
                  + " says: "
                  + ErrorText.of(failure)));
    }
    return failure;
  }

  private static Throwable because(Throwable failure, IOException explained) {
    explained.initCause(failure);
    return explained;
  }
}
