package io.retso.spring.boot;

import io.retso.spring.RetsoTransactionManager;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.transaction.annotation.AbstractTransactionManagementConfiguration;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * Has {@code @Transactional} looked at where Boot does not: what does so in Boot 4 is a module of
 * its own, which an application without another database does not have.
 */
@AutoConfiguration(
    after = RetsoAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration",
      "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
    })
@ConditionalOnBean(RetsoTransactionManager.class)
@ConditionalOnMissingBean(AbstractTransactionManagementConfiguration.class)
@EnableTransactionManagement(proxyTargetClass = true)
public class TransactionManagementAutoConfiguration {
  /** Called by Spring. */
  public TransactionManagementAutoConfiguration() {}
}
