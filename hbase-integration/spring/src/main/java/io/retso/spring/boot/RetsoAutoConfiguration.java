package io.retso.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.retso.hbase.ManagerBuilder;
import io.retso.hbase.TransactionManager;
import io.retso.spring.CurrentTransaction;
import io.retso.spring.RetsoTransactionManager;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * A manager, the Spring transactions and tables that go by it, and its meters; each unless the
 * application has its own. The order of Spring's beans closes the manager behind all that uses it.
 *
 * <p>Names of Boot 3 and of Boot 4, which moved them. An application with another database keeps
 * that one's transaction manager, as adding this artifact must not change what
 * {@code @Transactional} means there: it declares a {@link RetsoTransactionManager} itself.
 */
@AutoConfiguration(
    beforeName = {
      "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration",
      "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
    },
    afterName = {
      "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
      "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
      "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
      "org.springframework.boot.autoconfigure.transaction.jta.JtaAutoConfiguration",
      "org.springframework.boot.transaction.jta.autoconfigure.JtaAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass({Configuration.class, PlatformTransactionManager.class})
@EnableConfigurationProperties(RetsoProperties.class)
public class RetsoAutoConfiguration {
  /** Called by Spring. */
  public RetsoAutoConfiguration() {}

  /**
   * The manager of the application, built as its bean of HBase's configuration says, or else as
   * hbase-site.xml on the class path does; then as the properties and {@link ManagerCustomizer}s.
   */
  @Bean
  @ConditionalOnMissingBean
  public TransactionManager retsoManager(
      RetsoProperties properties,
      Environment environment,
      ObjectProvider<Configuration> hbase,
      ObjectProvider<ManagerCustomizer> customizers)
      throws IOException {
    Configuration configuration =
        new Configuration(hbase.getIfAvailable(HBaseConfiguration::create));
    ManagerBuilder builder = properties.builder(configuration, environment);
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    return builder.build();
  }

  /** What {@code @Transactional} goes by, unless there is another transaction manager. */
  @Bean
  @ConditionalOnMissingBean(org.springframework.transaction.TransactionManager.class)
  public RetsoTransactionManager transactionManager(TransactionManager retsoManager) {
    return new RetsoTransactionManager(retsoManager);
  }

  /** The tables of the transaction under way. */
  @Bean
  @ConditionalOnMissingBean
  public CurrentTransaction currentTransaction(TransactionManager retsoManager) {
    return new CurrentTransaction(retsoManager);
  }

  /** The manager's meters, in an application that has a registry. */
  @org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterRegistry.class)
  @ConditionalOnSingleCandidate(MeterRegistry.class)
  static class Meters {
    @Bean
    ManagerCustomizer retsoMeters(MeterRegistry registry) {
      return builder -> builder.meterRegistry(registry);
    }
  }
}
