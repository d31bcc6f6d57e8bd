package io.retso.ycsb;

import io.retso.hbase.options.Isolation;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import site.ycsb.DBException;

/** Properties of the bindings, checked. */
record Settings(Properties properties) {
  private static final int OPERATIONS_MAX = 1000;

  /**
   * From hbase-site.xml on the class path, and all properties that begin with hbase., zookeeper. or
   * retso., such as retso.security.
   */
  Configuration configuration() {
    Configuration configuration = HBaseConfiguration.create();
    for (String name : properties.stringPropertyNames()) {
      if (name.matches("(hbase|zookeeper|retso)\\..*")) {
        configuration.set(name, properties.getProperty(name));
      }
    }
    return configuration;
  }

  byte[] family() {
    return Bytes.toBytes(properties.getProperty("columnfamily", "f"));
  }

  String oracle() throws DBException {
    String address = properties.getProperty("retso.oracle", "");
    if (address.isBlank()) {
      throw new DBException("retso.oracle is missing: pass -p retso.oracle=host:port");
    }
    return address;
  }

  Isolation isolation() throws DBException {
    String level = properties.getProperty("retso.isolation", "snapshot");
    return switch (level) {
      case "snapshot" -> Isolation.SNAPSHOT;
      case "serializable" -> Isolation.SERIALIZABLE;
      default ->
          throw new DBException("retso.isolation is " + level + ": pass snapshot or serializable");
    };
  }

  int operations() throws DBException {
    String number = properties.getProperty("retso.operations", "1");
    if (number.matches("[0-9]{1,4}")) {
      int operations = Integer.parseInt(number);
      if (operations >= 1 && operations <= OPERATIONS_MAX) {
        return operations;
      }
    }
    throw new DBException(
        "retso.operations is " + number + ": pass 1 to " + OPERATIONS_MAX + " a transaction");
  }

  /** Whether a table that is not there is made. */
  boolean creates() throws DBException {
    String value = properties.getProperty("retso.create", "false");
    if (!value.equals("true") && !value.equals("false")) {
      throw new DBException("retso.create is " + value + ": pass true or false");
    }
    return value.equals("true");
  }

  TableName table() {
    return TableName.valueOf(properties.getProperty("table", "usertable"));
  }

  TableDescriptor descriptor() {
    return TableDescriptorBuilder.newBuilder(table())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(family()))
        .build();
  }
}
