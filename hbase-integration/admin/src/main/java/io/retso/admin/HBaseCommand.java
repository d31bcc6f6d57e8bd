package io.retso.admin;

import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TableGrants;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.admin.TablePreparationBuilder;
import io.retso.hbase.check.DataCheckOptions;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.server.BuildVersion;
import io.retso.server.commands.ExitCode;
import io.retso.server.commands.UsualExitCodes;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso hbase}: prepares tables, checks them, grants rights to them, sweeps. */
@Command(
    name = "hbase",
    description = {"Prepares HBase tables for transactions, and looks after them.", ""},
    mixinStandardHelpOptions = true,
    versionProvider = BuildVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done.",
      "1:It cannot be done, or the check found something; the last lines say what to do.",
      "64:A flag is wrong.",
      "70:An error in ReTSO itself. Please report it."
    },
    subcommands = {
      BackupCommand.class,
      BackupsCommand.class,
      RestoreCommand.class,
      ChangesCommand.class,
      HoldCommand.class,
      HoldsCommand.class,
      ReleaseCommand.class
    },
    modelTransformer = UsualExitCodes.class)
public final class HBaseCommand implements Runnable {
  private static final int FAILED = 1;

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a command");
  }

  private int with(ClusterOptions cluster, ClusterWork.Work work) {
    return ClusterWork.run(spec, cluster, work);
  }

  /** What scripts that read the output do not want. */
  private void note(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }

  private void println(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }

  private TableName tableName(String text) {
    try {
      return TableName.valueOf(text);
    } catch (IllegalArgumentException e) {
      throw wrong("'" + text + "': " + ErrorText.of(e));
    }
  }

  /** A wrong argument of the command that runs, whose help is the one to read then. */
  private ParameterException wrong(String reason) {
    return new ParameterException(
        spec.commandLine().getParseResult().subcommand().commandSpec().commandLine(), reason);
  }

  @Command(
      name = "prepare",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Prepares a table for transactions: adds the family of the PendingWrite marks, keeps all"
            + " versions, loads the coprocessor. Checks everything first. May be repeated: that"
            + " mends what was altered since, and changes what is named by flags (another"
            + " --conflicts, --reads or --granules only of a disabled table).",
        ""
      })
  int prepare(
      @Parameters(paramLabel = "TABLE", description = "Its name, with its namespace if it has one.")
          String table,
      @Mixin ClusterOptions cluster,
      @Option(
              names = "--conflicts",
              paramLabel = "ROW|CELL",
              description =
                  "Whether two transactions that write the same row conflict, or only if they write"
                      + " the same cell. Default: as it is, ROW at first.")
          Conflicts conflicts,
      @Option(
              names = "--reads",
              paramLabel = "SERVER|CLIENT",
              description =
                  "Whether a coprocessor answers snapshot reads and purges old versions, or clients"
                      + " decide themselves and nothing is purged. Default: as it is, SERVER at"
                      + " first.")
          Reads reads,
      @Option(
              names = "--jar",
              paramLabel = "PATH",
              description =
                  "hbase-integration's jar in a file system that masters and region servers reach;"
                      + " '' if it is on their class path. Default: as it is, on the class path at"
                      + " first.")
          String jar,
      @Option(
              names = "--granules",
              paramLabel = "BYTES",
              description =
                  "All writers tell the oracle in which part of the table they write, by the first"
                      + " bytes of keys, so that scans of serializable transactions notice them:"
                      + " 0,12 for the whole table, and keys that begin with the same 12 bytes;"
                      + " 0-32 for each number. '' lets only serializable ones do it, by 0-32."
                      + " Default: as it is, '' at first.")
          String granules,
      @Option(
              names = "--durability",
              paramLabel = "USE_DEFAULT|SYNC_WAL|FSYNC_WAL",
              description =
                  "The table's DURABILITY. FSYNC_WAL forces HBase's log to disk before a write is"
                      + " acknowledged; USE_DEFAULT does if hbase.wal.hsync is true on the region"
                      + " servers; SYNC_WAL does not. Default: as it is.")
          Durability durability,
      @Option(
              names = "--create",
              description =
                  "Creates the table if it does not exist, with the families of --families.")
          boolean create,
      @Option(
              names = "--families",
              paramLabel = "NAME",
              split = ",",
              splitSynopsisLabel = ",",
              description = "Families of a created table; one that exists must have them.")
          List<String> families) {
    TableName name = tableName(table);
    if (create == (families == null)) {
      throw wrong("--create and --families go together");
    }
    checkGranules(granules);
    Optional<TableDescriptor> wanted =
        create ? Optional.of(descriptor(name, families)) : Optional.empty();
    return with(
        cluster,
        connection -> {
          Optional<TableDescriptor> now = existing(connection, name);
          if (wanted.isPresent() && now.isPresent()) {
            checkFamilies(wanted.get(), now.get());
          }
          Optional<Prepared> before = prepared(now);
          Options known = before.map(Prepared::options).orElse(Options.DEFAULT);
          Options options =
              known
                  .withConflicts(conflicts == null ? known.conflicts() : conflicts)
                  .withReads(reads == null ? known.reads() : reads)
                  .withJar(jar == null ? known.jar() : jar)
                  .withGranules(granules == null ? known.granules() : granules);
          TablePreparationBuilder builder = preparing(connection, cluster, before);
          if (durability != null) {
            builder.durability(durability);
          }
          TablePreparation preparation = builder.build();
          TableDescriptor after =
              wanted.isPresent() && now.isEmpty()
                  ? preparation.create(wanted.get(), options)
                  : preparation.prepare(name, options);
          println(ready(name, TableSettings.of(after)));
          warn(preparation, name);
          if (isDisabled(connection, name)) {
            println(
                "It is disabled: enable it when a minute has passed and all transactions that used"
                    + " it before have ended.");
          }
          return ExitCode.CLEAN.number();
        });
  }

  private void checkGranules(String granules) {
    try {
      TableSettings.granules(granules == null ? "" : granules);
    } catch (IllegalArgumentException e) {
      throw wrong("--granules: " + ErrorText.of(e));
    }
  }

  private static TablePreparationBuilder preparing(
      Connection connection, ClusterOptions cluster, Optional<Prepared> before) {
    return TablePreparation.builder(connection)
        .oracle(cluster.oracle(before.map(Prepared::settings)));
  }

  private void warn(TablePreparation preparation, TableName name) throws IOException {
    preparation.warnings(name).forEach(warning -> println("Warning: " + warning + "."));
  }

  private static boolean isDisabled(Connection connection, TableName name) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      return admin.isTableDisabled(name);
    }
  }

  private TableDescriptor descriptor(TableName name, List<String> families) {
    try {
      TableDescriptorBuilder descriptor = TableDescriptorBuilder.newBuilder(name);
      for (String family : families) {
        if (PendingWrite.isFamily(Bytes.toBytes(family))) {
          throw wrong("--families: " + family + " is reserved for marks: choose another name");
        }
        descriptor.setColumnFamily(ColumnFamilyDescriptorBuilder.of(Bytes.toBytes(family)));
      }
      return descriptor.build();
    } catch (IllegalArgumentException e) {
      throw wrong("--families: " + ErrorText.of(e));
    }
  }

  /** A user that names families relies on them, though the table is not created any more. */
  private static void checkFamilies(TableDescriptor wanted, TableDescriptor existing)
      throws TableNotPreparedException {
    String table = existing.getTableName().getNameAsString();
    for (ColumnFamilyDescriptor family : wanted.getColumnFamilies()) {
      if (!existing.hasColumnFamily(family.getName())) {
        String missing = family.getNameAsString();
        throw new TableNotPreparedException(
            String.format(
                Locale.ROOT,
                "table %s exists and has no family %s: add it in HBase's shell, alter '%s', '%s',"
                    + " or leave out --create and --families",
                table,
                missing,
                table,
                missing),
            null);
      }
    }
  }

  private static Optional<TableDescriptor> existing(Connection connection, TableName name)
      throws IOException {
    try (Admin admin = connection.getAdmin()) {
      return admin.tableExists(name) ? Optional.of(admin.getDescriptor(name)) : Optional.empty();
    }
  }

  /** How a table was prepared before. */
  private record Prepared(TableSettings settings, Options options) {}

  private static Optional<Prepared> prepared(Optional<TableDescriptor> existing)
      throws TableNotPreparedException {
    try {
      return existing
          .filter(TableSettings::isPrepared)
          .map(table -> new Prepared(TableSettings.of(table), Options.of(table)));
    } catch (IllegalArgumentException e) {
      throw new TableNotPreparedException(ErrorText.of(e), e);
    }
  }

  private static String ready(TableName name, TableSettings settings) {
    return Text.of(
        "Table %s is ready for transactions of the oracle at %s, %s: conflicts by %s, reads at"
            + " the %s%s%s",
        name,
        settings.addresses(),
        settings.oracle(),
        settings.conflicts(),
        settings.reads(),
        settings.granules().isEmpty() ? "" : ", granules of bytes " + settings.granules(),
        settings.isAdoptedByRegions()
            ? ", regions adopt outcomes."
            : ", each row is cleaned up by itself.");
  }

  @Command(
      name = "check",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Says how a table holds transactions, and what keeps them from using it. Warns of settings"
            + " with which they promise less than the oracle. With --data it judges all versions"
            + " and marks in the table, too, while transactions go on.",
        ""
      })
  int check(
      @Parameters(paramLabel = "TABLE", description = "Its name, with its namespace if it has one.")
          String table,
      @Mixin ClusterOptions cluster,
      @Mixin DataCheckFlags data) {
    TableName name = tableName(table);
    Optional<DataCheckOptions> ofData = data.options();
    return with(
        cluster,
        connection -> {
          Optional<Prepared> before = prepared(existing(connection, name));
          TablePreparation preparation = preparing(connection, cluster, before).build();
          List<String> found = preparation.check(name);
          found.forEach(this::println);
          if (found.isEmpty()) {
            println(ready(name, before.map(Prepared::settings).orElseThrow()));
            warn(preparation, name);
          }
          boolean isGood = found.isEmpty();
          if (isGood && ofData.isPresent()) {
            isGood =
                !DataCheckRun.findsDanger(
                    connection.getConfiguration(),
                    cluster.oracle(before.map(Prepared::settings)),
                    name,
                    ofData.get(),
                    this::println,
                    this::note);
          }
          return isGood ? ExitCode.CLEAN.number() : FAILED;
        });
  }

  @Command(
      name = "grant",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Gives a user the rights that transactions on a table take, where HBase checks rights: READ"
            + " and WRITE on its families, that of the marks among them. Takes ADMIN on the table.",
        ""
      })
  int grant(
      @Parameters(
              index = "0",
              paramLabel = "USER",
              description = "As HBase knows it; of a group with @ in front.")
          String user,
      @Parameters(
              index = "1",
              paramLabel = "TABLE",
              description = "Its name, with its namespace if it has one.")
          String table,
      @Parameters(
              index = "2..*",
              arity = "0..*",
              paramLabel = "FAMILY",
              description = "Those that it may use. Default: all of the table.")
          List<String> families,
      @Mixin ClusterOptions cluster) {
    TableName name = tableName(table);
    List<String> named = families == null ? List.of() : families;
    return with(
        cluster,
        connection -> {
          new TableGrants(connection).readAndWrite(user, name, named);
          println(
              Text.of(
                  "User %s may read and write %s of table %s in transactions.",
                  user,
                  named.isEmpty() ? "all families" : "families " + String.join(", ", named),
                  name));
          return ExitCode.CLEAN.number();
        });
  }

  @Command(
      name = "sweep",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = {
        "Goes over the PendingWrite marks of all prepared tables and finishes what dead clients"
            + " left behind. Managers do that in the background, too.",
        ""
      })
  int sweep(@Mixin ClusterOptions cluster) {
    return ClusterWork.withOracle(
        spec,
        cluster,
        manager -> {
          SweepResult result = manager.sweep();
          println(
              String.format(
                  Locale.ROOT,
                  "%d tables, %d marks: %d rows cleaned up, %d of transactions that are still"
                      + " open.",
                  result.tables(),
                  result.marks(),
                  result.cleaned(),
                  result.open()));
          if (!result.reported()) {
            println("The sweep was not reported to the oracle: " + result.reason());
          }
          return result.reported() ? ExitCode.CLEAN.number() : FAILED;
        });
  }
}
