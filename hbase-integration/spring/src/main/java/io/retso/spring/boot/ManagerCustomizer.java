package io.retso.spring.boot;

import io.retso.hbase.ManagerBuilder;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A bean that sets what no property does, before the manager of the application is built.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
@FunctionalInterface
public interface ManagerCustomizer {
  /** Called once. */
  void customize(ManagerBuilder builder);
}
