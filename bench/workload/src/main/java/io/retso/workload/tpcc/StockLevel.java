package io.retso.workload.tpcc;

import io.retso.workload.Options;
import io.retso.workload.StoreTransaction;
import io.retso.workload.tpcc.Rows.District;
import io.retso.workload.tpcc.Rows.Line;
import io.retso.workload.tpcc.Rows.Stock;
import java.io.IOException;
import java.util.List;
import java.util.TreeSet;

/** Counts which of the items that a district ordered last are nearly out of stock. */
final class StockLevel extends Terminal {
  private static final int ORDERS = 20;

  private final int warehouse;
  private final String district;
  private final int threshold;
  private long low;

  StockLevel(Options options, Journal journal, int warehouse, String district, int threshold) {
    super(options, journal);
    this.warehouse = warehouse;
    this.district = district;
    this.threshold = threshold;
  }

  @Override
  public boolean run(StoreTransaction tx) throws IOException {
    int next = District.of(tx.get(Tables.district(district))).nextOrder();
    TreeSet<Integer> items = new TreeSet<>();
    tx.scan(
        Tables.lines(district, Math.max(0, next - ORDERS), next),
        StoreTransaction.NO_LIMIT,
        (key, value) -> items.add(Line.of(value).item()));
    List<String> keys = items.stream().map(item -> Tables.stock(warehouse, item)).toList();
    low =
        tx.getAll(Tables.STOCK, keys).stream()
            .filter(stock -> Stock.of(stock).quantity() < threshold)
            .count();
    return true;
  }

  /** How many were found. */
  long low() {
    return low;
  }
}
