package io.retso.hbase.rights;

import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleException;
import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.TableSettings;
import io.retso.kdc.TestKdc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.util.KerberosName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tables of an oracle that wants to know who its clients are, region servers included. */
@Timeout(180)
class SecuredOracleTest {
  private static final TableName ACCOUNTS = TableName.valueOf("accounts");

  @TempDir private static Path directory;
  private static TestKdc kdc;
  private static SecuredOracle oracle;
  private static EmbeddedHBase hbase;

  @BeforeAll
  static void start() throws Exception {
    kdc = new TestKdc(directory.resolve("kdc"));
    oracle = SecuredOracle.start(directory, kdc.add(SecuredOracle.KERBEROS_SERVICE));
    EmbeddedHBase.Builder builder = EmbeddedHBase.in(directory.resolve("hbase"));
    oracle.regionServer().forEach(builder::set);
    hbase = builder.start();
  }

  @AfterAll
  static void stop() throws Exception {
    hbase.close();
    oracle.close();
    kdc.close();
  }

  private static Configuration with(Map<String, String> settings) {
    return oracle.with(hbase.configuration(), settings);
  }

  private static void create(Connection connection, TableDescriptorBuilder table) throws Exception {
    TablePreparation.builder(connection)
        .build()
        .create(table.build(), TablePreparation.Options.DEFAULT);
  }

  private static void createAccounts() throws Exception {
    try (Connection connection =
            ConnectionFactory.createConnection(with(oracle.certificate("app")));
        Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(ACCOUNTS)) {
        create(connection, Fixture.descriptor(ACCOUNTS));
      }
    }
  }

  /** Whose commit is not cleaned up yet, so that a region server has to ask the oracle. */
  private static TransactionManager manager(Configuration configuration) throws Exception {
    return TransactionManager.builder(configuration).cleanupDelay(Duration.ofHours(1)).build();
  }

  @Test
  void applicationsAndRegionServersAreKnown() throws Exception {
    createAccounts();
    for (Map<String, String> settings : List.of(oracle.certificate("app"), oracle.token("app"))) {
      String row = settings.containsKey(OracleSettings.TOKEN_FILE) ? "by token" : "by certificate";
      try (TransactionManager writer = manager(with(settings))) {
        try (Transaction tx = writer.begin()) {
          tx.table(ACCOUNTS).put(put(row, "100"));
          tx.commit();
        }
        try (ReadTransaction tx = writer.beginReadOnly()) {
          assertEquals("100", Fixture.read(tx.table(ACCOUNTS), row));
        }
      }
    }
  }

  /** A user of Hadoop is the same one to the oracle. */
  @Test
  void usersOfHadoopAreKnownByTheirTickets() throws Exception {
    KerberosName.setRules("RULE:[1:$1@$0](.*@RETSO.TEST)s/@.*//\nDEFAULT");
    UserGroupInformation user =
        UserGroupInformation.getUGIFromSubject(TestKdc.subject("app", kdc.add("app")));
    Configuration configuration = with(oracle.kerberos());
    TransactionManager manager =
        user.doAs((PrivilegedExceptionAction<TransactionManager>) () -> manager(configuration));
    try (manager;
        Transaction tx = manager.begin()) {
      tx.commit();
    }
    assertTrue(Files.readString(oracle.audit()).contains("\"proof\": \"kerberos\""));
    // One that is made for a connection of that user needs no doAs.
    try (Connection connection =
            ConnectionFactory.createConnection(configuration, User.create(user));
        TransactionManager ofConnection = TransactionManager.builder(connection).build();
        Transaction tx = ofConnection.begin()) {
      tx.commit();
    }
  }

  @Test
  void sweepsAreForThoseThatMay() throws Exception {
    try (TransactionManager app = manager(with(oracle.token("app")))) {
      OracleException e = assertThrows(OracleException.class, app::sweep);
      assertTrue(e.getMessage().contains("role sweeper"), e.getMessage());
    }
    try (TransactionManager sweeper = manager(with(oracle.token("sweeper")))) {
      assertTrue(sweeper.sweep().reported());
    }
  }

  @Test
  void othersAreToldWhatTheyLack() throws Exception {
    assertRefused(Map.of(), "this port takes TLS only");
    Map<String, String> nobody =
        Map.of(
            OracleSettings.SECURITY,
            "required",
            OracleSettings.TLS_CA,
            oracle.authority().toString());
    Map<String, String> vouched = new HashMap<>(nobody);
    vouched.put(OracleSettings.TOKEN_TABLE, ACCOUNTS.getNameAsString());
    createAccounts();
    assertRefused(vouched, "HBase does not verify its users");
    assertRefused(nobody, "give it a certificate, a token or tickets of Kerberos");
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> manager(with(Map.of(OracleSettings.SECURITY, "required"))));
    assertTrue(e.getMessage().contains("needs retso.tls.ca"), e.getMessage());
    e =
        assertThrows(
            IllegalArgumentException.class,
            () -> manager(with(Map.of(OracleSettings.SECURITY, "on"))));
    assertTrue(e.getMessage().contains("off, prefer or required"), e.getMessage());
  }

  private static void assertRefused(Map<String, String> settings, String why) {
    OracleUnavailableException e =
        assertThrows(OracleUnavailableException.class, () -> manager(with(settings)).close());
    assertTrue(e.getMessage().contains(why), e.getMessage());
    assertFalse(e.isRetryable());
  }

  /** It is no matter of tables, which many may change, how region servers know the oracle. */
  @Test
  void aTableCannotTurnOffWhatItsRegionServerRequires() throws Exception {
    TableName table = TableName.valueOf("downgraded");
    Configuration configuration = with(oracle.certificate("app"));
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      create(connection, Fixture.descriptor(table).setValue(OracleSettings.SECURITY, "off"));
      try (TransactionManager writer = manager(configuration);
          Transaction tx = writer.begin()) {
        tx.table(table).put(put("r", "1"));
        tx.commit();
        try (ReadTransaction read = writer.beginReadOnly()) {
          assertEquals("1", Fixture.read(read.table(table), "r"), "its region could ask");
        }
      }
      admin.disableTable(table);
      admin.deleteTable(table);
    }
  }

  /** A user that creates a table can name any address in it. */
  @Test
  void aTableLeadsItsRegionServerToNoOtherPlace() throws Exception {
    TableName table = TableName.valueOf("led");
    Configuration configuration = with(oracle.certificate("app"));
    try (ServerSocket elsewhere = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      create(connection, Fixture.descriptor(table));
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(table))
              .setValue("RETSO_ORACLE_ADDRESSES", "127.0.0.1:" + elsewhere.getLocalPort())
              .build());
      try (TransactionManager writer = manager(configuration);
          Transaction tx = writer.begin()) {
        tx.table(table).put(put("r", "1"));
        tx.commit();
        try (ReadTransaction read = writer.beginReadOnly()) {
          assertEquals("1", Fixture.read(read.table(table), "r"), "its region could ask");
        }
      }
      elsewhere.setSoTimeout(1);
      assertThrows(SocketTimeoutException.class, elsewhere::accept);
      admin.disableTable(table);
      admin.deleteTable(table);
    }
  }

  /** Moves money between two rows of its own, and looks at those of all, until it is closed. */
  private static final class Teller implements AutoCloseable {
    private static final List<String> ALL = List.of("0a", "0b", "1a", "1b");

    private final TransactionManager manager;
    private final TableName table;
    private final List<String> own;
    private final AtomicInteger done = new AtomicInteger();
    private final CompletableFuture<Void> end;
    private volatile boolean over;

    Teller(int number, Configuration configuration, TableName table) throws Exception {
      this.manager = manager(configuration);
      this.table = table;
      this.own = ALL.subList(2 * number, 2 * number + 2);
      end = CompletableFuture.runAsync(this::work, task -> new Thread(task, "teller").start());
    }

    private void work() {
      try {
        while (!over) {
          manager.run(
              tx -> {
                add(tx.table(table), own.get(0), -1);
                add(tx.table(table), own.get(1), 1);
                return null;
              });
          assertEquals(0, (int) manager.read(this::sum));
          done.incrementAndGet();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void add(TransactionalTable table, String row, int amount) throws IOException {
      table.put(put(row, String.valueOf(valueOf(Fixture.read(table, row)) + amount)));
    }

    private int sum(ReadTransaction tx) throws IOException {
      int sum = 0;
      for (String row : ALL) {
        sum += valueOf(Fixture.read(tx.table(table), row));
      }
      return sum;
    }

    private static int valueOf(String text) {
      return text == null ? 0 : Integer.parseInt(text);
    }

    /** Waits until some more of its transactions have ended well. */
    void goesOn() throws Exception {
      int before = done.get();
      Fixture.eventually(
          "more transactions", () -> end.isCompletedExceptionally() || done.get() > before + 10);
      if (end.isCompletedExceptionally()) {
        end.get(); // says why
      }
    }

    @Override
    public void close() throws IOException {
      over = true;
      try {
        end.join();
      } finally {
        manager.close();
      }
    }
  }

  /**
   * Region servers learn it one after the other. Here each has settings of its own, and the table
   * comes from one to the next, as it does when they are restarted; one of them dies.
   */
  @Test
  void transactionsGoOnWhileRegionServersLearnIt() throws Exception {
    TableName table = TableName.valueOf("learning");
    oracle.levels("optional");
    Map<String, String> prefer = new HashMap<>(oracle.certificate("app"));
    prefer.put(OracleSettings.SECURITY, "prefer");
    try (Connection connection = ConnectionFactory.createConnection(with(Map.of()));
        Admin admin = connection.getAdmin()) {
      create(connection, Fixture.descriptor(table));
      // Servers of one process share what they have of an oracle, unless its addresses differ.
      String addresses =
          "retso.oracle."
              + TableSettings.of(admin.getDescriptor(table)).oracle().name()
              + ".addresses";
      String other = oracle.address().replace("localhost", "127.0.0.1");
      ServerName requires = hbase.cluster().getRegionServer(0).getServerName();
      RegionServerThread off =
          hbase.startRegionServer(Map.of(OracleSettings.SECURITY, "off", addresses, other));
      RegionServerThread prefers =
          hbase.startRegionServer(
              Map.of(OracleSettings.SECURITY, "prefer", addresses, other + "," + oracle.address()));
      ServerName speaksClear = off.getRegionServer().getServerName();
      ServerName maySpeakClear = prefers.getRegionServer().getServerName();
      try (Teller clear = new Teller(0, with(Map.of()), table);
          Teller known = new Teller(1, with(prefer), table)) {
        for (ServerName next :
            List.of(speaksClear, maySpeakClear, requires, speaksClear, maySpeakClear)) {
          move(admin, table, next);
          clear.goesOn();
          known.goesOn();
        }
        prefers.getRegionServer().abort("a test wants it");
        clear.goesOn();
        known.goesOn();
      } finally {
        off.getRegionServer().stop("a test wants it");
        off.join();
        oracle.levels("required");
      }
      admin.disableTable(table);
      admin.deleteTable(table);
    }
  }

  private static void move(Admin admin, TableName table, ServerName to) throws Exception {
    byte[] region = admin.getRegions(table).get(0).getEncodedNameAsBytes();
    admin.move(region, to);
    Fixture.eventually(
        "the table is at " + to,
        () -> admin.getRegions(to).stream().anyMatch(each -> each.getTable().equals(table)));
  }
}
