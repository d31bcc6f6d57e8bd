package io.retso.hbase.beside;

import io.retso.hbase.beside.Statement.Way;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Scan;

/** Random reads, with every option that a transaction does not refuse. */
final class ReadStatements {
  private ReadStatements() {}

  static Statement of(Draw draw) {
    List<Get> gets = draw.rows(4).stream().map(row -> get(draw, row)).toList();
    return switch (draw.below(8)) {
      case 0, 1 -> new Statement(Way.GET, gets);
      case 2 -> new Statement(Way.GET_ALL, gets);
      case 3 -> new Statement(Way.EXISTS, gets);
      case 4 -> new Statement(Way.EXISTS_ALL, gets);
      default -> new Statement(Way.SCAN, List.of(scan(draw)));
    };
  }

  /**
   * Reads most columns of what a change has just named, and now and then one more; null if it named
   * none. A transaction that has not sent the change answers by itself if it knows all of them.
   */
  static Statement ofWritten(Draw draw, Statement written) {
    List<Get> gets =
        written.requests().stream()
            .filter(Mutation.class::isInstance)
            .map(mutation -> getOf(draw, (Mutation) mutation))
            .filter(Get::hasFamilies)
            .toList();
    if (gets.isEmpty()) {
      return null;
    }
    return new Statement(draw.oneOf(List.of(Way.GET, Way.GET_ALL, Way.EXISTS)), gets);
  }

  private static Get getOf(Draw draw, Mutation written) {
    Get get = new Get(written.getRow()).setLoadColumnFamiliesOnDemand(false);
    for (List<Cell> cells : written.getFamilyCellMap().values()) {
      for (Cell cell : cells) {
        if (cell.getType() != Cell.Type.DeleteFamily && !draw.oneIn(6)) {
          get.addColumn(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell));
        }
      }
    }
    return draw.oneIn(6) ? get.addColumn(draw.family(), draw.qualifier()) : get;
  }

  static Get get(Draw draw, byte[] row) {
    Get get = new Get(row).setLoadColumnFamiliesOnDemand(false);
    for (int i = draw.oneIn(2) ? draw.below(4) : 0; i > 0; i--) {
      if (draw.oneIn(3)) {
        get.addFamily(draw.family());
      } else {
        get.addColumn(draw.family(), draw.qualifier());
      }
    }
    if (draw.oneIn(3)) {
      get.setFilter(Filters.of(draw));
    }
    if (draw.oneIn(6)) {
      get.setMaxResultsPerColumnFamily(draw.below(4));
    }
    if (draw.oneIn(6)) {
      get.setRowOffsetPerColumnFamily(draw.below(3));
    }
    return get.setCheckExistenceOnly(draw.oneIn(10)).setCacheBlocks(draw.oneIn(2));
  }

  static Scan scan(Draw draw) {
    Scan scan = new Scan().setLoadColumnFamiliesOnDemand(false);
    for (int i = draw.oneIn(3) ? draw.below(4) : 0; i > 0; i--) {
      if (draw.oneIn(2)) {
        scan.addFamily(draw.family());
      } else {
        scan.addColumn(draw.family(), draw.qualifier());
      }
    }
    if (draw.oneIn(2)) {
      scan.withStartRow(draw.row(), draw.oneIn(2));
    }
    if (draw.oneIn(2)) {
      scan.withStopRow(draw.row(), draw.oneIn(2));
    }
    scan.setReversed(draw.oneIn(3));
    if (draw.oneIn(2)) {
      scan.setFilter(Filters.of(draw));
    }
    if (draw.oneIn(4)) {
      scan.setLimit(1 + draw.below(4));
    }
    if (draw.oneIn(4)) {
      scan.setCaching(1 + draw.below(3));
    }
    if (draw.oneIn(4)) {
      scan.setMaxResultSize(1 + draw.below(4_000));
    }
    if (draw.oneIn(6)) {
      scan.setMaxResultsPerColumnFamily(draw.below(4));
    }
    if (draw.oneIn(6)) {
      scan.setRowOffsetPerColumnFamily(draw.below(3));
    }
    if (draw.oneIn(6)) {
      scan.setReadType(draw.oneIn(2) ? Scan.ReadType.PREAD : Scan.ReadType.STREAM);
    }
    return scan.setCacheBlocks(draw.oneIn(2));
  }
}
