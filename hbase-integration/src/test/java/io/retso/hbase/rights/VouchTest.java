package io.retso.hbase.rights;

import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.embedded.EmbeddedHBase;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.layout.OracleSettings;
import io.retso.kdc.TestKdc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.security.token.AuthenticationTokenIdentifier;
import org.apache.hadoop.hbase.security.token.ClientTokenUtil;
import org.apache.hadoop.hbase.security.token.TokenProvider;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Users whom HBase has verified reach the oracle with nothing but that. */
@Tag("own-jvm")
@Timeout(300)
class VouchTest {
  private static final TableName ACCOUNTS = TableName.valueOf("accounts");
  private static final String SERVER = "hbase/localhost@" + TestKdc.REALM;

  @TempDir private static Path directory;
  private static TestKdc kdc;
  private static SecuredOracle oracle;
  private static EmbeddedHBase hbase;
  private static UserGroupInformation app;

  @BeforeAll
  static void start() throws Exception {
    kdc = new TestKdc(directory.resolve("kdc"));
    Path keytab = kdc.add("hbase/localhost");
    TestKdc.subject("hbase/localhost", keytab); // has this JVM read its configuration anew
    oracle = SecuredOracle.start(directory);
    Configuration secured = new Configuration();
    secured.set("hadoop.security.authentication", "kerberos");
    UserGroupInformation.setConfiguration(secured);
    EmbeddedHBase.Builder builder =
        EmbeddedHBase.in(directory.resolve("hbase"))
            .set("hadoop.security.authentication", "kerberos")
            .set("hbase.security.authentication", "kerberos")
            .set("hbase.coprocessor.region.classes", TokenProvider.class.getName())
            .set("hbase.rpc.protection", "privacy");
    for (String server : new String[] {"hbase.master", "hbase.regionserver"}) {
      builder.set(server + ".kerberos.principal", SERVER);
      builder.set(server + ".keytab.file", keytab.toString());
    }
    oracle.regionServer().forEach(builder::set);
    hbase = builder.start();
    app = login("app");
    Configuration application = oracle.with(hbase.configuration(), oracle.certificate("app"));
    try (Connection connection = ConnectionFactory.createConnection(application)) {
      TablePreparation.builder(connection)
          .build()
          .create(Fixture.descriptor(ACCOUNTS).build(), TablePreparation.Options.DEFAULT);
    }
  }

  @AfterAll
  static void stop() throws Exception {
    try {
      hbase.close();
      oracle.close();
      kdc.close();
    } finally {
      UserGroupInformation.reset();
      UserGroupInformation.setConfiguration(new Configuration());
    }
  }

  private static UserGroupInformation login(String name) throws Exception {
    return UserGroupInformation.loginUserFromKeytabAndReturnUGI(name, kdc.add(name).toString());
  }

  private static TransactionManager manager(UserGroupInformation user) throws Exception {
    Map<String, String> settings =
        Map.of(
            OracleSettings.SECURITY, "required",
            OracleSettings.TLS_CA, oracle.authority().toString(),
            OracleSettings.TOKEN_TABLE, ACCOUNTS.getNameAsString());
    Configuration configuration = oracle.with(hbase.configuration(), settings);
    return user.doAs(
        (PrivilegedExceptionAction<TransactionManager>)
            () -> TransactionManager.builder(configuration).build());
  }

  @Test
  void aUserOfHBaseIsTheSameToTheOracle() throws Exception {
    try (TransactionManager manager = manager(app)) {
      try (Transaction tx = manager.begin()) {
        tx.table(ACCOUNTS).put(put("r", "100"));
        tx.commit();
      }
      try (ReadTransaction tx = manager.beginReadOnly()) {
        assertEquals("100", Fixture.read(tx.table(ACCOUNTS), "r"));
      }
    }
    String audit = Files.readString(oracle.audit());
    assertTrue(audit.contains("\"principal\": \"app\",\"proof\": \"vouched\""), audit);
    assertTrue(audit.contains("\"user\": \"app@RETSO.TEST\""), audit);
  }

  /** Tasks of MapReduce and of Spark have that, and no ticket. */
  @Test
  void aTaskWithATokenOfHBaseIsItsUser() throws Exception {
    Token<AuthenticationTokenIdentifier> token =
        app.doAs(
            (PrivilegedExceptionAction<Token<AuthenticationTokenIdentifier>>)
                () -> {
                  try (Connection connection =
                      ConnectionFactory.createConnection(hbase.configuration())) {
                    return ClientTokenUtil.obtainToken(connection);
                  }
                });
    UserGroupInformation task = UserGroupInformation.createRemoteUser("container");
    task.addToken(token);
    try (TransactionManager manager = manager(task);
        Transaction tx = manager.begin()) {
      tx.table(ACCOUNTS).put(put("task", "1"));
      tx.commit();
    }
    String audit = Files.readString(oracle.audit());
    assertFalse(audit.contains("container"), audit);
  }

  @Test
  void othersOfTheSameProcessAreNot() throws Exception {
    UserGroupInformation other = login("other");
    OracleUnavailableException e =
        assertThrows(OracleUnavailableException.class, () -> manager(other).close());
    assertTrue(e.getMessage().contains("region servers may not vouch for other"), e.getMessage());
    assertFalse(e.isRetryable());
  }
}
