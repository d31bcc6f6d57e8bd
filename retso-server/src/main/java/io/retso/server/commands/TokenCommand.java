package io.retso.server.commands;

import io.retso.protocol.Authentication;
import io.retso.security.AccessException;
import io.retso.security.AccessTokens;
import io.retso.security.AccessTokens.Token;
import io.retso.security.ClusterSecret;
import io.retso.security.SecretException;
import io.retso.text.ErrorText;
import io.retso.text.Visible;
import io.retso.tls.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * {@code retso token}: makes tokens by which clients identify themselves, and shows what they say.
 */
@Command(
    name = "token",
    description = {
      "Makes tokens by which clients identify themselves, and shows what they say. What a principal"
          + " may do",
      "stands in the access files of the servers.",
      ""
    },
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:It is made, or shown.",
      "64:A flag is wrong, or a file is not what it should be.",
      "73:It cannot be made."
    },
    modelTransformer = UsualExitCodes.class)
public final class TokenCommand implements Runnable {
  private static final Pattern LIFE = Pattern.compile("(\\d{1,4})([hd])");
  private static final long LIFE_MILLIS_MAX = TimeUnit.DAYS.toMillis(366);
  private static final int BYTES_MAX = 4096;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Shows this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say create or show");
  }

  @Command(
      name = "create",
      description = {
        "Prints a new token, or writes it to a file that its owner alone can read.",
        ""
      },
      usageHelpAutoWidth = true)
  int create(
      @Option(
              names = "--principal",
              required = true,
              paramLabel = "NAME",
              description = "The name of its bearer: printable ASCII without blanks.")
          String principal,
      @Option(
              names = "--secret-file",
              required = true,
              paramLabel = "FILE",
              description = "The secret.file of the servers.")
          Path secretFile,
      @Option(
              names = "--life",
              defaultValue = "90d",
              paramLabel = "TIME",
              description = "For how long it counts, 1h to 366d. Default: ${DEFAULT-VALUE}")
          String life,
      @Option(
              names = "--out",
              paramLabel = "FILE",
              description = "Does not exist yet; without it the token is printed.")
          Path out) {
    if (!Authentication.isPrincipal(principal)) {
      return refused(
          "--principal "
              + Visible.of(principal)
              + " is none: use 1 to 128 printable characters of ASCII without blanks");
    }
    long lifeMillis = millis(life);
    if (lifeMillis <= 0 || lifeMillis > LIFE_MILLIS_MAX) {
      return refused("--life " + Visible.of(life) + " is not allowed: use 1h to 366d");
    }
    try {
      Token token = Token.of(principal, System.currentTimeMillis(), lifeMillis);
      String text = new AccessTokens(ClusterSecret.read(secretFile)).make(token);
      if (out == null) {
        spec.commandLine().getOut().println(text);
        spec.commandLine().getOut().flush();
      } else {
        PrivateFile.make(out, text + "\n");
      }
      spec.commandLine().getErr().println(described(token));
      return ExitCode.CLEAN.number();
    } catch (SecretException e) {
      return refused(e.getMessage());
    } catch (FileAlreadyExistsException e) {
      return refused(out + " exists: name another file, and put it in its place when it is made");
    } catch (IOException e) {
      refused("cannot make it: " + ErrorText.of(e));
      return ExitCode.CANNOT_OPEN.number();
    }
  }

  private static long millis(String life) {
    Matcher matcher = LIFE.matcher(life);
    if (!matcher.matches()) {
      return 0;
    }
    TimeUnit unit = matcher.group(2).equals("h") ? TimeUnit.HOURS : TimeUnit.DAYS;
    return unit.toMillis(Long.parseLong(matcher.group(1)));
  }

  private static String described(Token token) {
    return "token "
        + token.id()
        + " of "
        + token.principal()
        + ", made at "
        + Instant.ofEpochMilli(token.issuedMillis())
        + ", ends at "
        + Instant.ofEpochMilli(token.expiresMillis());
  }

  @Command(
      name = "show",
      description = {"Shows what a token says, whether it counts or not.", ""},
      usageHelpAutoWidth = true)
  int show(@Parameters(paramLabel = "FILE", description = "Has the token.") Path file) {
    try {
      String text = new String(PrivateFile.read(file, BYTES_MAX), StandardCharsets.ISO_8859_1);
      spec.commandLine().getOut().println(described(AccessTokens.parse(text.strip())));
      spec.commandLine().getOut().flush();
      return ExitCode.CLEAN.number();
    } catch (AccessException e) {
      return refused(file + ": " + e.getMessage());
    } catch (IOException e) {
      return refused("cannot read " + ErrorText.of(e));
    }
  }

  private int refused(String why) {
    spec.commandLine().getErr().println("retso token: " + why);
    return ExitCode.USAGE.number();
  }
}
