package io.retso.admin;

import io.retso.hbase.layout.CellVersion;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;

/**
 * A change as a line of JSON. A name of what holds bytes says which form they have: {@code row} is
 * text, of bytes that are UTF-8, and {@code row64} is Base64 of others. Stateless.
 */
final class ChangeLine {
  private ChangeLine() {}

  static String of(TableName table, Cell cell, boolean isDeleted) {
    JsonObject line = new JsonObject();
    line.addProperty("table", table.getNameAsString());
    add(line, "row", CellUtil.cloneRow(cell));
    add(line, "family", CellUtil.cloneFamily(cell));
    add(line, "qualifier", CellUtil.cloneQualifier(cell));
    long version = cell.getTimestamp();
    if (CellVersion.isCleanedUp(version)) {
      line.addProperty("timestamp", CellVersion.commitTimestamp(version));
    } else {
      line.addProperty("plainTimestamp", version);
    }
    if (isDeleted) {
      line.addProperty("deleted", true);
    } else {
      add(line, "value", CellUtil.cloneValue(cell));
    }
    return line.toString();
  }

  private static void add(JsonObject line, String name, byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      line.addProperty(name, text);
    } catch (CharacterCodingException e) {
      line.addProperty(name + "64", Base64.getEncoder().encodeToString(bytes));
    }
  }
}
