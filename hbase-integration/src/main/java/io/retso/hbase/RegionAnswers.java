package io.retso.hbase;

import io.retso.hbase.data.DescriptorQuery;
import io.retso.hbase.data.RegionSettings;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * What all regions of a table answered to a {@link DescriptorQuery}.
 *
 * @param servers that have regions which did not know the question: without the coprocessor
 * @param settings of the others, each once
 */
record RegionAnswers(TableName table, Set<String> servers, Set<RegionSettings> settings) {
  /** Of a table, somewhere. */
  static final String NO_COPROCESSOR =
      "table %s must not be used yet: its regions %s do not run the coprocessor and would serve"
          + " no transactions: set hbase.coprocessor.enabled and"
          + " hbase.coprocessor.user.enabled to true there, and restart";

  /** Asks all regions, in one go. */
  static RegionAnswers of(Connection connection, TableName name) throws IOException {
    RegionAnswers answers = new RegionAnswers(name, new TreeSet<>(), new HashSet<>());
    try (RegionLocator locator = connection.getRegionLocator(name);
        Table regions = connection.getTable(name)) {
      Map<byte[], HRegionLocation> rows = RegionRows.of(locator.getAllRegionLocations());
      Result[] results = regions.get(rows.keySet().stream().map(DescriptorQuery::query).toList());
      int i = 0;
      for (HRegionLocation region : rows.values()) {
        TableDescriptor told = DescriptorQuery.parse(results[i++]);
        if (told == null) {
          answers.servers.add(String.valueOf(region.getServerName()));
        } else if (RegionSettings.of(told) != null) {
          answers.settings.add(RegionSettings.of(told));
        }
      }
    }
    return answers;
  }

  /** What is wrong if all should have known the question. */
  Optional<String> withoutCoprocessor() {
    return servers.isEmpty()
        ? Optional.empty()
        : Optional.of(NO_COPROCESSOR.formatted(table, "on " + String.join(", ", servers)));
  }
}
