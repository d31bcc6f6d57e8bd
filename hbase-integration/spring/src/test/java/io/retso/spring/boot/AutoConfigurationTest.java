package io.retso.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import example.Transfers;
import io.micrometer.core.instrument.MeterRegistry;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.options.ReadSnapshot;
import io.retso.spring.CurrentTransaction;
import io.retso.spring.RetsoTransactionManager;
import io.retso.spring.Rows;
import io.retso.spring.TestApplication;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.util.ClassUtils;

/** What Boot makes of an application that has the artifact, and what it leaves alone. */
class AutoConfigurationTest {
  /** An application that has a relational database, too. */
  @Configuration(proxyBeanMethods = false)
  static class OtherDatabase {
    @Bean
    DataSource database() {
      return new AbstractDataSource() {
        @Override
        public Connection getConnection() throws SQLException {
          throw new SQLException("not used");
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
          return getConnection();
        }
      };
    }
  }

  /** An application that builds its manager itself. */
  @Configuration(proxyBeanMethods = false)
  static class OwnManager {
    @Bean(destroyMethod = "")
    TransactionManager own() {
      return TestApplication.cluster().manager();
    }
  }

  /** Writes when the application ends. */
  static class LastWords implements DisposableBean {
    private final Rows rows;

    LastWords(Rows rows) {
      this.rows = rows;
    }

    @Override
    public void destroy() {
      rows.commitAnother("last", "words");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Bare {
    @Bean
    org.apache.hadoop.conf.Configuration hbase() {
      return TestApplication.cluster().configuration();
    }
  }

  /** An application that has nothing of Boot's own. */
  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    RetsoAutoConfiguration.class,
    TransactionManagementAutoConfiguration.class,
    Boot3HealthAutoConfiguration.class,
    Boot4HealthAutoConfiguration.class
  })
  @Import(Transfers.class)
  static class Alone {
    @Bean
    org.apache.hadoop.conf.Configuration hbase() {
      return TestApplication.cluster().configuration();
    }
  }

  @BeforeEach
  void clear() {
    Rows.clear();
  }

  private static SpringApplicationBuilder application(Class<?>... sources) {
    return new SpringApplicationBuilder(sources).web(WebApplicationType.NONE);
  }

  @Test
  void theManagerIsAsThePropertiesSay() throws IOException {
    try (ConfigurableApplicationContext context =
        application(Bare.class)
            .properties(
                "spring.application.name=shop",
                "retso.isolation=serializable",
                "retso.hbase.hbase.client.retries.number=3")
            .run()) {
      MeterRegistry registry = context.getBean(MeterRegistry.class);
      assertEquals(1, registry.get("retso.client.sweeps").tag("client", "shop").meters().size());
      TransactionManager manager = context.getBean(TransactionManager.class);
      TransactionOptions latest = TransactionOptions.DEFAULT.withReadSnapshot(ReadSnapshot.LATEST);
      assertThrows(
          IllegalArgumentException.class, () -> manager.beginReadOnly(latest), "serializable");
      assertNotSame(TestApplication.cluster().manager(), manager);
    }
  }

  @Test
  void theManagerIsClosedBehindWhatUsesIt() {
    ConfigurableApplicationContext context =
        application(TestApplication.class, LastWords.class).run();
    MeterRegistry registry = context.getBean(MeterRegistry.class);
    TransactionManager manager = context.getBean(TransactionManager.class);
    assertFalse(registry.find("retso.client.sweeps").meters().isEmpty());
    context.close();
    assertThrows(IllegalStateException.class, manager::begin);
    assertTrue(registry.find("retso.client.sweeps").meters().isEmpty());
    try (ConfigurableApplicationContext next = application(TestApplication.class).run()) {
      assertEquals("words", next.getBean(Rows.class).committed("last"));
    }
  }

  @Test
  void anApplicationsOwnManagerIsUsed() {
    try (ConfigurableApplicationContext context =
        application(TestApplication.class, OwnManager.class).run()) {
      TransactionManager own = TestApplication.cluster().manager();
      assertSame(own, context.getBean(TransactionManager.class));
      assertSame(own, context.getBean(RetsoTransactionManager.class).getResourceFactory());
      context.getBean(Rows.class).commitAnother("a", "1");
    }
  }

  @Test
  void transactionsOfAnotherDatabaseStayThose() {
    try (ConfigurableApplicationContext context =
        application(Bare.class, OtherDatabase.class).run()) {
      assertInstanceOf(
          DataSourceTransactionManager.class,
          context.getBean(org.springframework.transaction.TransactionManager.class),
          "the only one");
      CurrentTransaction current = context.getBean(CurrentTransaction.class);
      String message =
          assertThrows(IllegalStateException.class, () -> current.table("rows")).getMessage();
      assertTrue(message.contains("RetsoTransactionManager"), message);
    }
  }

  /** In Boot 4 all of it comes in modules that an application may lack. */
  @Test
  void nothingElseOfBootIsNeeded() throws IOException {
    ClassLoader without =
        new FilteredClassLoader(
            "io.micrometer",
            "org.springframework.boot.actuate.autoconfigure.health",
            "org.springframework.boot.actuate.health",
            "org.springframework.boot.health");
    try (ConfigurableApplicationContext context =
        application(Alone.class).resourceLoader(new DefaultResourceLoader(without)).run()) {
      assertFalse(context.containsBean("retsoHealthIndicator"));
      Transfers transfers = context.getBean(Transfers.class);
      transfers.transfer("carol", "dave", 30);
      assertEquals(30, transfers.balance("dave"));
    }
  }

  /** A name that is misspelt gives no order, and nothing says so. Boot 3 and 4 take turns. */
  @Test
  void theOrderNamesWhatIsThere() {
    AutoConfiguration order = RetsoAutoConfiguration.class.getAnnotation(AutoConfiguration.class);
    List<String> names = new ArrayList<>(List.of(order.beforeName()));
    names.addAll(List.of(order.afterName()));
    int version = SpringBootVersion.getVersion().startsWith("3.") ? 0 : 1;
    List<String> missing = new ArrayList<>();
    for (int i = version; i < names.size(); i += 2) {
      if (!ClassUtils.isPresent(names.get(i), null)) {
        missing.add(names.get(i));
      }
    }
    missing.removeIf(name -> version == 1 && name.contains("hibernate")); // not among the modules
    assertEquals(List.of(), missing);
  }
}
