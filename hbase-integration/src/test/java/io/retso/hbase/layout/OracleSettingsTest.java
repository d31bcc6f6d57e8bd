package io.retso.hbase.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.protocol.OracleIdentity;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class OracleSettingsTest {
  private static final TableSettings TABLE =
      new TableSettings(
          Conflicts.ROW, Reads.SERVER, new OracleIdentity(new UUID(1, 2), "prod"), "table:1");

  private final Configuration server = new Configuration(false);

  private String addresses() {
    return OracleSettings.addressesFor(TABLE, server);
  }

  @Test
  void aTableSaysWhereItsOracleIs() {
    for (String security : new String[] {"off", "prefer"}) {
      server.set(OracleSettings.SECURITY, security);
      server.set(OracleSettings.ORACLE, "own:1");
      assertEquals("table:1", addresses());
      server.set("retso.oracle.other.addresses", "other:1");
      assertEquals("table:1", addresses());
    }
  }

  @Test
  void anOracleThatMovedIsFoundByItsName() {
    server.set("retso.oracle.prod.addresses", " moved:1 ");
    for (String security : new String[] {"off", "prefer", "required"}) {
      server.set(OracleSettings.SECURITY, security);
      assertEquals("moved:1", addresses());
    }
  }

  @Test
  void whereTheOracleHasToBeKnownATableIsNotAsked() {
    server.set(OracleSettings.SECURITY, "required");
    String refusal = assertThrows(IllegalArgumentException.class, this::addresses).getMessage();
    assertTrue(refusal.contains("oracle prod at table:1"), refusal);
    assertTrue(refusal.contains("set retso.oracle, or retso.oracle.prod.addresses"), refusal);
    server.set(OracleSettings.ORACLE, "own:1,own:2");
    assertEquals("own:1,own:2", addresses());
  }
}
