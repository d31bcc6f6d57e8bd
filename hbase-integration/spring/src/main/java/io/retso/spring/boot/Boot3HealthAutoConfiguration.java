package io.retso.spring.boot;

import io.retso.hbase.TransactionManager;
import java.io.IOException;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The part of the application's health that is the oracle's, in Boot 3. */
@AutoConfiguration(after = RetsoAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(TransactionManager.class)
@ConditionalOnEnabledHealthIndicator("retso")
public class Boot3HealthAutoConfiguration {
  /** Called by Spring. */
  public Boot3HealthAutoConfiguration() {}

  /** Up while the oracle answers. HBase is not asked. */
  @Bean
  @ConditionalOnMissingBean(name = "retsoHealthIndicator")
  public HealthIndicator retsoHealthIndicator(TransactionManager retsoManager) {
    return new AbstractHealthIndicator(OracleHealth.FAILED) {
      @Override
      protected void doHealthCheck(Health.Builder health) throws IOException {
        health.up().withDetail(OracleHealth.DETAIL, OracleHealth.timestamp(retsoManager));
      }
    };
  }
}
