package io.retso.report;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Records as JSON, with everything that was measured. */
public final class ReportJson {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES); // what follows from others

  private ReportJson() {}

  /** Reads a record that was written by {@link #write}, of this version. */
  public static <T extends Record> T read(Path file, Class<T> type) throws IOException {
    return MAPPER.readValue(file.toFile(), type);
  }

  /** Writes a record to a file. */
  public static void write(Record report, Path file) throws IOException {
    Files.writeString(file, MAPPER.writeValueAsString(report) + System.lineSeparator());
  }

  /** A record as one line, with its end. */
  static String line(Record what) throws IOException {
    return MAPPER.writer().without(SerializationFeature.INDENT_OUTPUT).writeValueAsString(what)
        + '\n';
  }

  static <T extends Record> T line(String line, Class<T> type) throws IOException {
    return MAPPER.readValue(line, type);
  }

  static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  static <T> T of(JsonNode node, Class<T> type) {
    return MAPPER.convertValue(node, type);
  }
}
