package io.retso.server;

import io.retso.log.LogException;
import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.log.bookkeeper.ZooKeeperTree;
import io.retso.server.commands.StartFailure;
import io.retso.server.commands.UsualExitCodes;
import io.retso.server.config.ConfigException;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.tls.PrivateFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code retso secure-log}: whose the nodes in ZooKeeper are that the log has already. */
@Command(
    name = "secure-log",
    description = {
      "Gives what the log and its bookies have in ZooKeeper to them alone, as zookeeper.auth says.",
      "First restart bookies and servers with zookeeper.auth, so that all of them can read it.",
      ""
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    abbreviateSynopsis = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:It is done.",
      "64:A flag or a setting is wrong.",
      "73:A file cannot be used.",
      "74:ZooKeeper cannot be reached, or does not let this command do it."
    },
    modelTransformer = SecureLogCommand.Flags.class)
public final class SecureLogCommand implements Callable<Integer> {
  /** Flags for the settings that matter here. */
  static final class Flags implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec command) {
      SettingFlags.add(
          command,
          List.of(
              Settings.ZOOKEEPER,
              Settings.ZOOKEEPER_AUTH,
              Settings.SECRET_FILE,
              Settings.LOG_ZNODE,
              Settings.LOG_LEDGERS));
      return new UsualExitCodes().transform(command);
    }
  }

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The settings of a server of the log; flags override them.")
  private Path configFile;

  @Option(
      names = "--open",
      description =
          "Gives it to every client again, for the way back: before zookeeper.auth is taken out of"
              + " the settings, and once more after the last restart.")
  private boolean open;

  @Option(
      names = "--password",
      paramLabel = "FILE",
      description =
          "Only makes a file with the password that zookeeper.auth = digest comes to, for bookies.")
  private Path passwordFile;

  @Override
  public Integer call() {
    try {
      ServerConfig config = SettingFlags.read(spec, configFile);
      if (!config.isDurable() || config.isEmbedded()) {
        throw new ConfigException(
            "an embedded log is given to its server when that starts: name settings with a"
                + " zookeeper of your own");
      }
      if (config.zooKeeperAuth().equals("none")) {
        throw new ConfigException(
            "zookeeper.auth = "
                + config.get(Settings.ZOOKEEPER_AUTH)
                + " says nothing of whom ZooKeeper is to let in: set it to digest, sasl or x509");
      }
      ZooKeeperAccess access = ServerLog.access(config, ServerSecurity.secret(config));
      if (passwordFile != null) {
        makePasswordFile(access);
      } else {
        set(config, access);
      }
      return 0;
    } catch (Exception e) { // whatever it is, it is said in one line
      StartFailure failure = StartFailure.of(e);
      PrintWriter err = spec.commandLine().getErr();
      err.println("retso secure-log: " + failure.line());
      err.flush();
      return failure.code().number();
    }
  }

  private void makePasswordFile(ZooKeeperAccess access) throws ConfigException, IOException {
    if (access.passwords().isEmpty()) {
      throw new ConfigException("--password is for zookeeper.auth = digest only: leave it out");
    }
    PrivateFile.make(passwordFile, String.join("\n", access.passwords()) + "\n");
    println(
        "made "
            + passwordFile
            + ": copy it to each bookie, owned by its account, and name it in bookie.conf as"
            + " retsoZooKeeperPasswordFile");
  }

  private void set(ServerConfig config, ZooKeeperAccess access) throws LogException {
    String log = config.get(Settings.LOG_ZNODE);
    ZooKeeperTree.Result done =
        ZooKeeperTree.ofLog(
            config.get(Settings.ZOOKEEPER),
            log,
            config.get(Settings.LOG_LEDGERS),
            access,
            open ? access.withOpenNodes() : access);
    println(
        done.nodes()
            + " nodes, of which "
            + done.changed()
            + " were changed: "
            + (open ? "all may read and change them" : "only servers and bookies of the log may"));
  }

  private void println(String text) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(text);
    out.flush();
  }
}
