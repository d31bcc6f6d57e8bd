package io.retso.hbase.layout;

import java.time.Duration;
import org.apache.hadoop.conf.Configuration;

/**
 * How long region servers, and those who prepare tables, wait for one answer of the oracle.
 * Stateless.
 */
public final class OracleTimeout {
  /** Property of HBase's configuration, in milliseconds. Default: 5000. */
  public static final String KEY = "retso.oracle.timeout";

  private static final int DEFAULT_MILLIS = 5_000;

  private OracleTimeout() {}

  public static Duration of(Configuration configuration) {
    return Duration.ofMillis(configuration.getInt(KEY, DEFAULT_MILLIS));
  }
}
