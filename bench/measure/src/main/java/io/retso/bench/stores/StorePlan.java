package io.retso.bench.stores;

import io.retso.bench.server.ServersPlan;
import io.retso.verify.clients.ClusterAccess;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Which stores to measure, and how to get them.
 *
 * @param kinds one after the other
 * @param oracle of the store that is nothing but an oracle: one server
 * @param hbase a cluster that runs, with its oracle; empty to start one
 * @param postgresUrl JDBC's; empty to start a PostgreSQL of its own
 * @param directory for the data of what is started
 */
public record StorePlan(
    List<StoreKind> kinds,
    ServersPlan oracle,
    Optional<ClusterAccess> hbase,
    String postgresUrl,
    Path directory) {

  /** What is measured, for reports. Without addresses, as they may have passwords. */
  public Map<String, Object> settings() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("stores", kinds.stream().map(StoreKind::toString).toList());
    all.put("log", oracle.logOn() ? "durable" : "none");
    all.put("capacity", oracle.mapRows());
    all.put("serverOptions", oracle.jvmOptions());
    all.put("hbase", hbase.isPresent() ? "runs already" : "its own");
    all.put("postgresql", postgresUrl.isEmpty() ? "its own" : "runs already");
    return all;
  }

  /** One line for each store that has something to say; empty if none has. */
  public static String text(Map<String, Map<String, String>> facts) {
    return facts.entrySet().stream()
        .filter(of -> !of.getValue().isEmpty())
        .map(
            of ->
                of.getValue().entrySet().stream()
                    .map(fact -> fact.getKey() + "=" + fact.getValue())
                    .collect(Collectors.joining(", ", "  " + of.getKey() + ": ", "")))
        .map(line -> line + System.lineSeparator())
        .collect(Collectors.joining());
  }
}
