package io.retso.hbase.admin;

import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.DescriptorQuery;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.RegionSettings;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.table.TableRules;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Whether all region servers of a cluster can serve tables whose regions adopt outcomes ({@link
 * TableSettings.Cleanup#REGIONS}). Any of them may be given a region after a crash, and HBase
 * replays its log there: one that does not apply the adoptions in it loses commits.
 *
 * <p>Each server is asked through a region of a prepared table that it has ({@link
 * DescriptorQuery}). For those that have none a table is made, whose one region is moved from one
 * to the next of them, and dropped. Servers that join the cluster later are not known.
 *
 * <p>Blocking; used once, by one thread.
 */
final class RegionServersCheck {
  private static final String PROBE = "retso-probe-";

  /** To one server: others may move the region away, as a balancer does. */
  private static final int MOVES_MAX = 3;

  private final Connection connection;
  private final Admin admin;
  private final CoprocessorDescriptor observer;

  /** What the live servers have said; null is said by one that runs no coprocessor. */
  private final Map<ServerName, RegionSettings> answers = new TreeMap<>();

  /**
   * A check.
   *
   * @param observer the coprocessor, as the table that is prepared loads it
   */
  RegionServersCheck(Connection connection, Admin admin, CoprocessorDescriptor observer) {
    this.connection = connection;
    this.admin = admin;
    this.observer = observer;
  }

  /**
   * Asks.
   *
   * @param table that is to be prepared, for messages
   * @throws TableNotPreparedException if one cannot; names the servers, and what to do
   */
  void require(TableName table) throws IOException {
    Set<ServerName> unasked = new TreeSet<>(askThoseWithRegions());
    unasked.removeAll(answers.keySet());
    if (!unasked.isEmpty()) {
      probe(unasked);
      unasked.removeAll(answers.keySet());
    }
    List<String> found = new ArrayList<>();
    add(
        unasked,
        "could not be asked for their version of ReTSO: prepare it when no region moves",
        found);
    found.addAll(problems());
    if (!found.isEmpty()) {
      throw PreparedDescriptor.refused(
          table, "is not prepared: " + String.join("; ", found) + "; then prepare the table again");
    }
  }

  /**
   * Asks only those that have a region of a prepared table; changes nothing.
   *
   * @return why some of them cannot serve such tables, one sentence each, with the remedy
   */
  List<String> find() throws IOException {
    askThoseWithRegions();
    return problems();
  }

  /** Returns all servers. */
  private Collection<ServerName> askThoseWithRegions() throws IOException {
    Collection<ServerName> servers = admin.getRegionServers();
    Set<TableName> tables = tables();
    for (ServerName server : servers) {
      for (RegionInfo region : admin.getRegions(server)) {
        if (tables.contains(region.getTable()) && region.getReplicaId() == 0) {
          ask(server, region);
          break;
        }
      }
    }
    return servers;
  }

  private List<String> problems() {
    List<String> found = new ArrayList<>();
    add(
        serversOf(answer -> answer == null || answer.tableVersion() < TableSettings.VERSION),
        "have an older version of ReTSO, or do not load its coprocessor, and would lose commits of"
            + " the table when they take over from a server that crashed: put hbase-integration's"
            + " jar of this version on the class path of all region servers, set"
            + " hbase.coprocessor.enabled and hbase.coprocessor.user.enabled to true there, and"
            + " restart them one by one",
        found);
    add(
        serversOf(answer -> answer != null && answer.splitsLogToFiles()),
        "have "
            + RegionSettings.LOG_TO_FILES
            + " set, with which HBase replays logs without asking ReTSO, which would lose commits:"
            + " set it to false, as it is by default, and restart them",
        found);
    return found;
  }

  private Set<ServerName> serversOf(Predicate<RegionSettings> rule) {
    return answers.entrySet().stream()
        .filter(answer -> rule.test(answer.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static void add(Set<ServerName> servers, String problem, List<String> found) {
    if (!servers.isEmpty()) {
      found.add(
          servers.stream()
              .map(ServerName::getServerName)
              .collect(Collectors.joining(", ", "region servers ", " " + problem)));
    }
  }

  /** Those that load the coprocessor from the same place. */
  private Set<TableName> tables() throws IOException {
    Set<TableName> tables = new HashSet<>();
    for (TableDescriptor table : admin.listTableDescriptors()) {
      if (TableSettings.isPrepared(table)
          && TableRules.observerOf(table).filter(this::isSame).isPresent()) {
        tables.add(table.getTableName());
      }
    }
    return tables;
  }

  private boolean isSame(CoprocessorDescriptor other) {
    return other.getJarPath().equals(observer.getJarPath());
  }

  /** Asks a server, unless the region has moved meanwhile. */
  private void ask(ServerName server, RegionInfo region) throws IOException {
    byte[] row = AdoptionRequest.firstRow(region.getStartKey());
    try (Table table = connection.getTable(region.getTable())) {
      TableDescriptor reported = DescriptorQuery.parse(table.get(DescriptorQuery.query(row)));
      RegionSettings answer = reported == null ? null : RegionSettings.of(reported);
      if (answer == null) {
        // A server without the coprocessor does not say which one it is.
        if (isAt(server, region, row)) {
          answers.put(server, answer);
        }
      } else if (answer.server().equals(server.getServerName())) {
        answers.put(server, answer);
      }
    }
  }

  private boolean isAt(ServerName server, RegionInfo region, byte[] row) throws IOException {
    try (RegionLocator locator = connection.getRegionLocator(region.getTable())) {
      return server.equals(locator.getRegionLocation(row, true).getServerName());
    }
  }

  private void probe(Set<ServerName> servers) throws IOException {
    TableName name = TableName.valueOf(PROBE + UUID.randomUUID());
    admin.createTable(
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(PendingWrite.familyDescriptor())
            .setCoprocessor(observer)
            .build());
    try {
      RegionInfo region = admin.getRegions(name).get(0);
      for (ServerName server : servers) {
        for (int i = 0; i < MOVES_MAX && !answers.containsKey(server); i++) {
          admin.move(region.getEncodedNameAsBytes(), server);
          ask(server, region);
        }
      }
    } finally {
      admin.disableTable(name);
      admin.deleteTable(name);
    }
  }
}
