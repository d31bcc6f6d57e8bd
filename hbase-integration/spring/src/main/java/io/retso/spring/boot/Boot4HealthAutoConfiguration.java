package io.retso.spring.boot;

import io.retso.hbase.TransactionManager;
import java.io.IOException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The part of the application's health that is the oracle's, in Boot 4. */
@AutoConfiguration(after = RetsoAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(TransactionManager.class)
@ConditionalOnEnabledHealthIndicator("retso")
public class Boot4HealthAutoConfiguration {
  /** Called by Spring. */
  public Boot4HealthAutoConfiguration() {}

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
