package io.retso.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.mapreduce.TableInputFormat;
import org.apache.hadoop.hbase.mapreduce.TableMapReduceUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;

/** Spark in this process, with two threads: the union of one RDD per table. Thread-safe. */
final class SparkEngine implements Engine {
  private final Configuration configuration;
  private final JavaSparkContext spark;

  /** Starts Spark; {@code directory} is for its files. */
  SparkEngine(Configuration hbase, Path directory) {
    configuration = MapReduceEngine.ofJobs(hbase, directory);
    spark =
        new JavaSparkContext(
            new SparkConf(false)
                .setMaster("local[2]")
                .setAppName("jobs")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.local.dir", directory.toString())
                // HBase knows no size of regions that are new: Spark would leave them out.
                .set("spark.hadoopRDD.ignoreEmptySplits", "false"));
  }

  @Override
  public Found run(Map<TableName, Scan> scans) {
    return scans.entrySet().stream()
        .map(one -> balances(one.getKey(), one.getValue()))
        .reduce(JavaRDD::union)
        .orElseThrow()
        .aggregate(
            new Found(0, 0),
            (found, balance) -> found.and(1, balance),
            (found, more) -> found.and(more.rows(), more.sum()));
  }

  private JavaRDD<Long> balances(TableName table, Scan scan) {
    Configuration own = new Configuration(configuration);
    own.set(TableInputFormat.INPUT_TABLE, table.getNameAsString());
    try {
      own.set(TableInputFormat.SCAN, TableMapReduceUtil.convertScanToString(scan));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return spark
        .newAPIHadoopRDD(own, TableInputFormat.class, ImmutableBytesWritable.class, Result.class)
        .map(row -> Bytes.toLong(row._2().getValue(Bank.FAMILY, Bank.BALANCE)));
  }

  @Override
  public void close() {
    spark.close();
  }
}
