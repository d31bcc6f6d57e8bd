package io.retso.hbase.table;

import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.DescriptorQuery;
import io.retso.hbase.layout.RegionSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What all regions of a table answered to a {@link DescriptorQuery}.
 *
 * @param servers that have regions which did not know the question: without the coprocessor
 * @param settings of the others, each once
 */
public record RegionAnswers(TableName table, Set<String> servers, Set<RegionSettings> settings) {
  /** Asks all regions, in one go. */
  public static RegionAnswers of(Connection connection, TableName name) throws IOException {
    RegionAnswers answers = new RegionAnswers(name, new TreeSet<>(), new HashSet<>());
    try (RegionLocator locator = connection.getRegionLocator(name);
        Table regions = connection.getTable(name)) {
      Map<byte[], HRegionLocation> rows = rows(locator.getAllRegionLocations());
      List<Get> queries = rows.keySet().stream().map(DescriptorQuery::query).toList();
      int max = RowBatches.rowsMax(connection.getConfiguration());
      List<Result> results = new ArrayList<>(queries.size());
      for (List<Get> part : RowBatches.parts(queries, max)) {
        results.addAll(List.of(regions.get(part)));
      }
      int i = 0;
      for (HRegionLocation region : rows.values()) {
        TableDescriptor reported = DescriptorQuery.parse(results.get(i++));
        if (reported == null) {
          answers.servers.add(String.valueOf(region.getServerName()));
        } else if (RegionSettings.of(reported) != null) {
          answers.settings.add(RegionSettings.of(reported));
        }
      }
    }
    return answers;
  }

  /** The regions of a table, without their replicas, by the least row that can be in each. */
  public static SortedMap<byte[], HRegionLocation> rows(List<HRegionLocation> locations) {
    SortedMap<byte[], HRegionLocation> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    for (HRegionLocation location : locations) {
      rows.putIfAbsent(AdoptionRequest.firstRow(location.getRegion().getStartKey()), location);
    }
    return rows;
  }

  /** What is wrong if all should have known the question. */
  public Optional<String> withoutCoprocessor() {
    return servers.isEmpty()
        ? Optional.empty()
        : Optional.of(TableRules.noCoprocessor(table, "on " + String.join(", ", servers)));
  }
}
