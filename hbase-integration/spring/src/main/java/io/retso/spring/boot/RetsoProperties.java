package io.retso.spring.boot;

import io.retso.hbase.ManagerBuilder;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.options.Isolation;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.yetus.audience.InterfaceAudience;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * Settings of the transaction manager; what is missing is as {@link ManagerBuilder} says.
 *
 * @param oracle Addresses of the oracle, host:port, several separated by commas. Default:
 *     retso.oracle of HBase's configuration.
 * @param clientName How the oracle's log and the meters call the application, 1 to 64 bytes.
 *     Default: spring.application.name, or retso-hbase.
 * @param isolation Isolation of transactions that name none: snapshot or serializable.
 * @param requestTimeout How long a request to the oracle may take, 1 ms to 1 h.
 * @param connectTimeout How long a connection to the oracle may take, 1 ms to 1 h.
 * @param connections TCP connections to the oracle, 1 to 64.
 * @param sweepInterval How long the oracle's low watermark may stand still before the application
 *     sweeps, 0 to 1 h; 0 never sweeps.
 * @param closeTimeout How long the end of the application may clean up, 0 to 1 h.
 * @param hbase Keys of HBase's configuration, which replace those of the bean or of hbase-site.xml.
 * @since 0.1
 */
@InterfaceAudience.Public
@ConfigurationProperties("retso")
public record RetsoProperties(
    String oracle,
    String clientName,
    Isolation isolation,
    Duration requestTimeout,
    Duration connectTimeout,
    Integer connections,
    Duration sweepInterval,
    Duration closeTimeout,
    @DefaultValue Map<String, String> hbase) {

  ManagerBuilder builder(Configuration configuration, Environment environment) {
    hbase.forEach(configuration::set);
    ManagerBuilder builder = TransactionManager.builder(configuration);
    String application = environment.getProperty("spring.application.name");
    set(builder::oracle, oracle);
    set(builder::clientName, clientName == null ? application : clientName);
    set(builder::isolation, isolation);
    set(builder::requestTimeout, requestTimeout);
    set(builder::connectTimeout, connectTimeout);
    set(builder::connections, connections);
    set(builder::sweepInterval, sweepInterval);
    set(builder::closeTimeout, closeTimeout);
    return builder;
  }

  private static <T> void set(Consumer<T> setter, T value) {
    if (value != null) {
      setter.accept(value);
    }
  }
}
