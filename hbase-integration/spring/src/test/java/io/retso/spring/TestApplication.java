package io.retso.spring;

import example.Transfers;
import io.retso.testkit.TestCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** An application on the one cluster of all tests of this JVM. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({Transfers.class, Rows.class})
public class TestApplication {
  private static TestCluster cluster;

  /** Started once; stopped behind the contexts of all tests. */
  public static synchronized TestCluster cluster() {
    if (cluster == null) {
      cluster = TestCluster.start();
      createTables();
      SpringApplication.getShutdownHandlers().add(cluster::close);
    }
    return cluster;
  }

  private static void createTables() {
    try {
      cluster.createTable("rows", "f");
      cluster.createTable("accounts", "f");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Bean
  Configuration hbase() {
    return cluster().configuration();
  }
}
