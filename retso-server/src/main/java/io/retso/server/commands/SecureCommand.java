package io.retso.server.commands;

import io.retso.security.ClusterSecret;
import io.retso.text.ErrorText;
import io.retso.text.Visible;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code retso secure}: what servers and clients need to know each other. */
@Command(
    name = "secure",
    description = {
      "Makes what servers and clients need to know each other, for those who have no authority of"
          + " their own.",
      ""
    },
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:It is made.", "64:A flag is wrong.", "73:It cannot be made."},
    modelTransformer = UsualExitCodes.class)
public final class SecureCommand implements Runnable {
  /** What files and principals may be called. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9.:_-]{1,253}");

  /** Bookies that go by roles let it write and fence the log. */
  private static final String LOG_ROLE = "retso";

  private static final int DAYS_MAX = 3_650;

  private static final String ACCESS =
      """
      # What this server asks of its clients, and what they may do; read again every 10 seconds.
      tls required
      auth required

      # The common name of a certificate is its owner's name. Let only the authority of these
      # servers sign certificates.
      name CN (.*) = $1

      may member member-*
      may operator operator
      # may region-server region-server-*
      # may application app-* from 10.0.0.0/8
      # may sweeper sweeper
      # may metrics prometheus
      """;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Shows this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say init or issue");
  }

  @Command(
      name = "init",
      description = {
        "Makes a directory with an authority, a secret, and for each member of an oracle a"
            + " directory of",
        "files that go to it; and a certificate for an operator.",
        ""
      },
      usageHelpAutoWidth = true)
  int init(
      @Parameters(paramLabel = "DIR", description = "Is empty, or not there.") Path directory,
      @Option(
              names = "--member",
              required = true,
              paramLabel = "HOST[,HOST...]",
              description =
                  "A server: names and addresses by which clients and other members reach it. Once"
                      + " for each.")
          List<String> members,
      @Option(
              names = "--path",
              defaultValue = "/etc/retso",
              paramLabel = "DIR",
              description = "Where its files will be on each. Default: ${DEFAULT-VALUE}")
          String path,
      @Option(
              names = "--days",
              defaultValue = "365",
              paramLabel = "N",
              description = "How long certificates count, 1 to 3650. Default: ${DEFAULT-VALUE}")
          int days) {
    return done(
        () -> {
          Duration life = life(days);
          members.forEach(this::hosts); // all of them before anything is made
          Authority authority = Authority.make(directory);
          Path secret = directory.resolve("secret");
          ClusterSecret.make(secret);
          for (String member : members) {
            List<String> hosts = hosts(member);
            Path own = authority.issue("member-" + hosts.get(0), LOG_ROLE, hosts, life);
            Files.copy(secret, own.resolve("secret"), StandardCopyOption.COPY_ATTRIBUTES);
            Files.writeString(own.resolve("access"), ACCESS);
            Files.writeString(own.resolve("retso.properties"), properties(path));
          }
          authority.issue("operator", "", List.of(), life);
          println(steps(directory, path));
        });
  }

  private static String properties(String path) {
    return String.format(
        Locale.ROOT,
        """
        access.file = %1$s/access
        tls.certificate = %1$s/tls.crt
        tls.key = %1$s/tls.key
        tls.ca = %1$s/ca.crt
        secret.file = %1$s/secret
        audit.file = /var/lib/retso/audit.json
        """,
        path);
  }

  private static String steps(Path directory, String path) {
    return String.format(
        Locale.ROOT,
        """
        1. Copy the files of each %1$s/member-HOST to %2$s of that host, owned by the server's
           account, and add the lines of its retso.properties to the server's settings.
        2. Say in each "access" what your clients may do, and make them certificates:
           retso secure issue %1$s app-orders
           or tokens: retso token create --secret-file %1$s/secret --principal app-orders
        3. Start the servers. Ask one: retso status --http HOST:7522 --tls-ca %1$s/ca.crt \\
           --certificate %1$s/operator/tls.crt --key %1$s/operator/tls.key
        4. Keep %1$s/ca.key and %1$s/secret where no other user gets at them.\
        """,
        directory,
        path);
  }

  @Command(
      name = "issue",
      description = {"Signs one more certificate, for a client or for another member.", ""},
      usageHelpAutoWidth = true)
  int issue(
      @Parameters(paramLabel = "DIR", description = "Was made by init.") Path directory,
      @Parameters(paramLabel = "NAME", description = "The name of its owner.") String name,
      @Option(
              names = "--host",
              paramLabel = "HOST[,HOST...]",
              description = "Names and addresses of a server; a client needs none.")
          String host,
      @Option(
              names = "--role",
              defaultValue = "",
              paramLabel = "ROLE",
              description =
                  "The role in which bookies know its owner, as authorizedRoles of bookie.conf"
                      + " says; members have retso.")
          String role,
      @Option(
              names = "--days",
              defaultValue = "365",
              paramLabel = "N",
              description = "How long it counts, 1 to 3650. Default: ${DEFAULT-VALUE}")
          int days) {
    return done(
        () -> {
          Duration life = life(days);
          List<String> hosts = host == null ? List.of() : hosts(host);
          if (!role.isEmpty() && !NAME.matcher(role).matches()) {
            throw wrong(role, "no role: use letters, digits, and . _ - between them, 64 at most");
          }
          if (!NAME.matcher(name).matches()) {
            throw wrong(name, "no name: use letters, digits, and . _ - between them, 64 at most");
          }
          Path own = Authority.open(directory).issue(name, role, hosts, life);
          println("made " + own + ": give its files to " + name + ", and to it alone");
        });
  }

  private List<String> hosts(String text) {
    List<String> hosts = Arrays.asList(text.split(",", -1));
    for (String host : hosts) {
      if (!HOST.matcher(host).matches()) {
        throw wrong(host, "no host: use a name or an address without a port");
      }
    }
    if (!NAME.matcher(hosts.get(0)).matches()) {
      throw wrong(hosts.get(0), "no name: begin with a name or an address of IPv4");
    }
    return hosts.stream().distinct().collect(Collectors.toList());
  }

  private Duration life(int days) {
    if (days < 1 || days > DAYS_MAX) {
      throw wrong("--days " + days, "not allowed: use 1 to " + DAYS_MAX);
    }
    return Duration.ofDays(days);
  }

  private ParameterException wrong(String what, String why) {
    return new ParameterException(spec.commandLine(), Visible.of(what) + " is " + why);
  }

  /** Something that makes files. */
  private interface Work {
    void run() throws IOException;
  }

  private int done(Work work) {
    try {
      work.run();
      return ExitCode.CLEAN.number();
    } catch (IOException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("retso secure: " + ErrorText.of(e));
      err.flush();
      return ExitCode.CANNOT_OPEN.number();
    }
  }

  private void println(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(text);
    out.flush();
  }
}
