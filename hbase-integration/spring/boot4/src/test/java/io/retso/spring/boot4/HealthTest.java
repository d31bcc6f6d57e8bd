package io.retso.spring.boot4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.TransactionManager;
import io.retso.spring.TestApplication;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;

/** The oracle's part of the application's health, in Boot 4. */
class HealthTest {
  private static ConfigurableApplicationContext application(String... properties) {
    return new SpringApplicationBuilder(TestApplication.class).properties(properties).run();
  }

  @Test
  void itIsUpUntilTheOracleDoesNotAnswer() {
    try (ConfigurableApplicationContext context = application()) {
      HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
      IndicatedHealthDescriptor up = (IndicatedHealthDescriptor) endpoint.healthForPath("retso");
      assertEquals(Status.UP, up.getStatus());
      assertTrue((long) up.getDetails().get("timestamp") > 0);
      context.getBean(TransactionManager.class).close();
      assertEquals(Status.DOWN, endpoint.healthForPath("retso").getStatus());
    }
  }

  @Test
  void itCanBeLeftOut() {
    try (ConfigurableApplicationContext context =
        application("management.health.retso.enabled=false")) {
      assertNull(context.getBean(HealthEndpoint.class).healthForPath("retso"));
    }
  }
}
