package io.retso.hbase.admin;

import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.OracleException;
import io.retso.hbase.errors.OracleUnavailableException;
import java.util.List;
import java.util.function.Supplier;

/**
 * Asks an oracle for timestamps that are no transaction's, to learn how far it is. One connection,
 * from the first question to the end.
 *
 * <p>Every snapshot to come is above such a timestamp: it was reserved in the log before it was
 * answered, and a successor begins above what was reserved. An oracle that was superseded without
 * knowing may answer one that is too low; then cells are taken for those of the future that are
 * not, and nothing is overlooked.
 *
 * <p>Blocking; for one thread.
 */
final class TimestampSource implements AutoCloseable {
  private final List<String> addresses;
  private final OracleClient oracle;

  TimestampSource(List<String> addresses, Supplier<OracleClientBuilder> clients) {
    this.addresses = addresses;
    OracleClientBuilder builder = clients.get();
    addresses.forEach(builder::address);
    this.oracle = builder.build();
  }

  /**
   * The oracle's next timestamp: whatever was committed before the call is below it, and all
   * snapshots of later transactions are above.
   */
  long next() throws OracleUnavailableException {
    try {
      return oracle.timestamp();
    } catch (OracleException e) {
      throw OracleAddresses.unavailable(addresses, e);
    }
  }

  @Override
  public void close() {
    oracle.close();
  }
}
