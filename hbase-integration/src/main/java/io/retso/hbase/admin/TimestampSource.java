package io.retso.hbase.admin;

import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.OracleException;
import io.retso.hbase.errors.OracleUnavailableException;
import java.time.Duration;
import java.util.List;

/**
 * Asks an oracle for timestamps that nobody uses, to learn how far it is. One connection, from the
 * first question to the end.
 *
 * <p>Blocking; for one thread.
 */
final class TimestampSource implements AutoCloseable {
  private final List<String> addresses;
  private final OracleClient oracle;

  TimestampSource(List<String> addresses, Duration timeout) {
    this.addresses = addresses;
    OracleClientBuilder builder =
        OracleClient.builder().name("retso-prepare").requestTimeout(timeout);
    addresses.forEach(builder::address);
    this.oracle = builder.build();
  }

  /** The oracle's next timestamp: whatever was committed before the call is below it. */
  long next() throws OracleUnavailableException {
    try {
      long timestamp = oracle.begin();
      oracle.abort(timestamp);
      return timestamp;
    } catch (OracleException e) {
      throw OracleAddresses.unavailable(addresses, e);
    }
  }

  @Override
  public void close() {
    oracle.close();
  }
}
