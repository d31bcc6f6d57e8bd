package io.retso.kdc;

import io.retso.client.KerberosLogin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivilegedActionException;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/**
 * A server of Kerberos in this process, on the loopback interface, which this JVM asks as long as
 * it is open. Of one thread.
 */
public final class TestKdc implements AutoCloseable {
  public static final String REALM = "RETSO.TEST";
  private static final String CONFIGURATION = "java.security.krb5.conf";

  private final Path directory;
  private final SimpleKdcServer kdc;
  private final Path configuration;

  /** Starts it. */
  public TestKdc(Path directory) throws IOException, KrbException {
    this.directory = Files.createDirectories(directory);
    int port = freePort();
    kdc = new SimpleKdcServer();
    kdc.setWorkDir(directory.toFile());
    kdc.setKdcRealm(REALM);
    kdc.setKdcHost("127.0.0.1");
    kdc.setKdcTcpPort(port);
    kdc.setAllowUdp(false);
    kdc.init();
    kdc.start();
    String realm = "[realms]\n" + REALM + " = {\n kdc = 127.0.0.1:" + port + "\n}\n";
    configuration = directory.resolve("retso-krb5.conf");
    Files.writeString(
        configuration,
        "[libdefaults]\ndefault_realm = "
            + REALM
            + "\nudp_preference_limit = 1\ndns_lookup_kdc = false\ndns_lookup_realm = false\n"
            + realm);
    System.setProperty(CONFIGURATION, configuration.toString());
  }

  /** How many seconds clocks may differ, for those that log in from now on. */
  public void allowSkew(int seconds) throws IOException {
    String head = "[libdefaults]\n";
    Files.writeString(
        configuration,
        Files.readString(configuration).replace(head, head + "clockskew = " + seconds + "\n"));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Adds a principal, and makes a keytab with its key. */
  public Path add(String principal) throws KrbException, IOException {
    kdc.createPrincipal(principal);
    return keytab(principal);
  }

  /** A keytab with the key that a principal has by now. */
  public Path keytab(String principal) throws KrbException, IOException {
    Path file = Files.createTempFile(directory, "key", ".tab");
    Files.delete(file);
    kdc.exportPrincipal(principal, file.toFile());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  /** Gives a principal another key. */
  public void replaceKey(String principal) throws KrbException {
    remove(principal);
    kdc.createPrincipal(principal);
  }

  /** Takes a principal away. */
  public void remove(String principal) throws KrbException {
    kdc.deletePrincipal(principal);
  }

  /** Logs in anew for each step, so that no ticket is older than that. */
  public static KerberosLogin login(String principal, Path keytab) {
    return action -> {
      try {
        return Subject.doAs(subject(principal, keytab), action);
      } catch (LoginException e) {
        throw new IOException("no login", e);
      } catch (PrivilegedActionException e) {
        throw new IOException("the action failed", e);
      }
    };
  }

  /** Logs in once. */
  public static KerberosLogin login(Subject subject) {
    return action -> {
      try {
        return Subject.doAs(subject, action);
      } catch (PrivilegedActionException e) {
        throw new IOException("the action failed", e);
      }
    };
  }

  /** One that has its tickets. */
  public static Subject subject(String principal, Path keytab) throws LoginException {
    Map<String, String> options =
        Map.of(
            "principal", principal,
            "keyTab", keytab.toString(),
            "useKeyTab", "true",
            "storeKey", "true",
            "doNotPrompt", "true",
            "refreshKrb5Config", "true");
    Configuration configuration =
        new Configuration() {
          @Override
          public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            return new AppConfigurationEntry[] {
              new AppConfigurationEntry(
                  "com.sun.security.auth.module.Krb5LoginModule",
                  LoginModuleControlFlag.REQUIRED,
                  options)
            };
          }
        };
    LoginContext context = new LoginContext("test", new Subject(), null, configuration);
    context.login();
    return context.getSubject();
  }

  @Override
  public void close() throws KrbException {
    System.clearProperty(CONFIGURATION);
    kdc.stop();
  }
}
