package io.retso.jobs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.mapreduce.TableMapReduceUtil;
import org.apache.hadoop.hbase.mapreduce.TableMapper;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/** MapReduce in this process: one job with {@code MultiTableInputFormat}. Thread-safe. */
final class MapReduceEngine implements Engine {
  private enum Count {
    ROWS,
    SUM
  }

  /** Gives the balance of each row. */
  static final class Balances extends TableMapper<NullWritable, LongWritable> {
    @Override
    protected void map(ImmutableBytesWritable key, Result row, Context context)
        throws IOException, InterruptedException {
      context.getCounter(Count.ROWS).increment(1);
      long balance = Bytes.toLong(row.getValue(Bank.FAMILY, Bank.BALANCE));
      context.write(NullWritable.get(), new LongWritable(balance));
    }
  }

  /** Adds them. */
  static final class Sum extends Reducer<NullWritable, LongWritable, NullWritable, NullWritable> {
    @Override
    protected void reduce(NullWritable key, Iterable<LongWritable> balances, Context context) {
      for (LongWritable balance : balances) {
        context.getCounter(Count.SUM).increment(balance.get());
      }
    }
  }

  private final Configuration configuration;

  /**
   * Runs jobs.
   *
   * @param hbase what clients of HBase need
   * @param directory for intermediate files
   */
  MapReduceEngine(Configuration hbase, Path directory) {
    configuration = ofJobs(hbase, directory);
  }

  /** With files of jobs in this directory. */
  static Configuration ofJobs(Configuration hbase, Path directory) {
    Configuration configuration = new Configuration(hbase);
    configuration.set("hadoop.tmp.dir", directory.toString());
    configuration.set(
        "mapreduce.jobtracker.staging.root.dir", directory.resolve("staging").toString());
    configuration.setInt("mapreduce.client.completion.pollinterval", 50); // 5 s is the default
    configuration.setInt("mapreduce.task.io.sort.mb", 1); // each task takes it at once
    configuration.setInt("mapreduce.local.map.tasks.maximum", 4);
    return configuration;
  }

  @Override
  public Found run(Map<TableName, Scan> scans) throws Exception {
    Job job = Job.getInstance(configuration, "total");
    job.setJarByClass(MapReduceEngine.class);
    List<Scan> all = new ArrayList<>();
    for (Map.Entry<TableName, Scan> one : scans.entrySet()) {
      byte[] table = one.getKey().getName();
      all.add(new Scan(one.getValue()).setAttribute(Scan.SCAN_ATTRIBUTES_TABLE_NAME, table));
    }
    TableMapReduceUtil.initTableMapperJob(
        all, Balances.class, NullWritable.class, LongWritable.class, job, false);
    job.setReducerClass(Sum.class);
    job.setNumReduceTasks(1);
    job.setOutputFormatClass(NullOutputFormat.class);
    assertTrue(job.waitForCompletion(false), () -> "failed: " + job);
    Counters counters = job.getCounters();
    return new Found(
        counters.findCounter(Count.ROWS).getValue(), counters.findCounter(Count.SUM).getValue());
  }

  @Override
  public void close() {}
}
