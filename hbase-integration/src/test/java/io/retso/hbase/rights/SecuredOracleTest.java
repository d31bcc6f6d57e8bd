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
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.layout.OracleSettings;
import io.retso.kdc.TestKdc;
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
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.User;
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
}
