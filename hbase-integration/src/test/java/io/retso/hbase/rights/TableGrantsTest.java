package io.retso.hbase.rights;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TableGrants;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code retso hbase grant} gives. */
@Timeout(180)
class TableGrantsTest extends ClusterWithRights {
  /** With a family the marks' own is granted, too. */
  @Test
  void whatIsGrantedSufficesForTransactions() throws Exception {
    create(partly, TablePreparation.Options.DEFAULT);
    create(hidden, TablePreparation.Options.CLIENT_READS);
    TableGrants grants = new TableGrants(root);
    try (AsyncConnection his = connect("bob")) {
      grants.readAndWrite("bob", partly, List.of("f"));
      eventually("servers know", () -> mayWrite("bob", PendingWrite.family()));
      try (TransactionManager manager = TransactionManager.builder(his).oracle(oracle).build()) {
        manager.run(
            tx -> {
              tx.table(partly).put(put("a", "1"));
              return null;
            });
        Get own = new Get(Fixture.bytes("a")).addFamily(Fixture.F);
        assertEquals("1", manager.run(tx -> text(tx.table(partly).get(own).value())));
        assertThrows(
            IOException.class,
            () ->
                manager.run(
                    tx -> {
                      tx.table(partly).put(inBothFamilies("a", "2"));
                      return null;
                    }));
        grants.readAndWrite("bob", partly, List.of());
        eventually("servers know", () -> mayWrite("bob", Fixture.G));
        manager.run(
            tx -> {
              tx.table(partly).put(inBothFamilies("a", "2"));
              return null;
            });
      }
    }
    for (String family : List.of("!pw", "none")) {
      assertThrows(
          TableNotPreparedException.class,
          () -> grants.readAndWrite("bob", partly, List.of(family)));
    }
    TableNotPreparedException client =
        assertThrows(
            TableNotPreparedException.class, () -> grants.readAndWrite("bob", hidden, List.of()));
    assertTrue(client.getMessage().contains("CREATE"), client::toString);
  }

  private boolean mayWrite(String name, byte[] family) {
    User user = User.createUserForTesting(hbase.configuration(), name, new String[0]);
    return hbase.cluster().getLiveRegionServers().stream()
        .map(server -> server.getRegionServer().getAccessChecker().getAuthManager())
        .allMatch(rights -> rights.authorizeUserTable(user, partly, family, Action.WRITE));
  }
}
