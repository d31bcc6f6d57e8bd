package io.retso.hbase.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.table.TableRules;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Region servers of several versions: found, named, and nothing of the question is left. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class RegionServersCheckTest {
  private Fixture fixture;
  private Admin admin;
  private ServerName second;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    admin = fixture.opened(fixture.cluster.connection().getAdmin());
    for (TableDescriptor table : admin.listTableDescriptors()) {
      drop(table.getTableName());
    }
    while (fixture.regionServers().size() < 2) {
      fixture.cluster.hbase().startRegionServer();
    }
    second = fixture.regionServers().get(1).getServerName();
  }

  @AfterEach
  void leavesNoTable() throws Exception {
    assertFalse(
        Stream.of(admin.listTableNames()).anyMatch(name -> name.toString().contains("probe")));
  }

  private void drop(TableName name) throws Exception {
    if (admin.isTableEnabled(name)) {
      admin.disableTable(name);
    }
    admin.deleteTable(name);
  }

  private void check(TableName name) throws Exception {
    new RegionServersCheck(
            fixture.cluster.connection(),
            admin,
            CoprocessorDescriptorBuilder.newBuilder(TableRules.OBSERVER).build())
        .require(name);
  }

  private void refused(TableName name, String hint) {
    TableNotPreparedException e = assertThrows(TableNotPreparedException.class, () -> check(name));
    assertTrue(e.getMessage().contains(hint), e.getMessage());
    assertTrue(e.getMessage().contains("region servers " + second + " "), e.getMessage());
    assertTrue(e.getMessage().contains(name.toString()), e.getMessage());
  }

  /** The region of a table, moved to the second server. */
  private HRegion movedToTheSecond(TableName name) throws Exception {
    RegionInfo region = admin.getRegions(name).get(0);
    admin.move(region.getEncodedNameAsBytes(), second);
    return fixture.regionServers().stream()
        .filter(server -> server.getServerName().equals(second))
        .flatMap(server -> server.getRegions(name).stream())
        .map(HRegion.class::cast)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void serversWithoutARegionOfOursAreAsked() throws Exception {
    check(fixture.cluster.freshName("p"));
    fixture.table(Options.DEFAULT); // on one of them
    check(fixture.cluster.freshName("p"));
  }

  @Test
  void thoseOfAnOlderVersionAreNamed() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    EditedAnswers answers = EditedAnswers.into(movedToTheSecond(name));
    check(name);
    answers.with(TableSettings.VERSION - 1, false);
    refused(name, "older version of ReTSO");
    assertFound(name, "older version of ReTSO");
    answers.with(TableSettings.VERSION, true);
    refused(name, "hbase.wal.split.to.hfile");
    assertFound(name, "hbase.wal.split.to.hfile");
    answers.with(TableSettings.VERSION + 1, false);
    check(name);
    assertEquals(List.of(), fixture.preparation().check(name));
  }

  /** The table has that version already: they have joined since. */
  private void assertFound(TableName name, String hint) throws Exception {
    List<String> found = fixture.preparation().check(name);
    assertEquals(1, found.size(), found::toString);
    assertTrue(found.get(0).contains(hint), found::toString);
    assertTrue(found.get(0).startsWith("region servers " + second + " "), found::toString);
  }

  @Test
  void thoseThatLoadNoCoprocessorAreNamed() throws Exception {
    String loading = "hbase.coprocessor.user.enabled";
    Configuration configuration =
        fixture.regionServers().stream()
            .filter(server -> server.getServerName().equals(second))
            .map(HRegionServer::getConfiguration)
            .findFirst()
            .orElseThrow();
    configuration.setBoolean(loading, false);
    try {
      refused(fixture.cluster.freshName("p"), "older version of ReTSO");
    } finally {
      configuration.unset(loading);
    }
    assertEquals(List.of(), List.of(admin.listTableNames()));
  }
}
