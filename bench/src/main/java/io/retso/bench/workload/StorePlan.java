package io.retso.bench.workload;

import io.retso.bench.server.ServersPlan;
import java.nio.file.Path;
import java.util.List;

/**
 * Which stores to measure, and how to get them.
 *
 * @param kinds one after the other
 * @param oracle of the store that is nothing but an oracle: one server
 * @param postgresUrl JDBC's; empty if there is no PostgreSQL
 * @param directory for the data of what is started
 */
public record StorePlan(
    List<StoreKind> kinds, ServersPlan oracle, String postgresUrl, Path directory) {}
