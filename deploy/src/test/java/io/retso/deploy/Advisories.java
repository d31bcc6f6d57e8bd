package io.retso.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.maven.artifact.versioning.ComparableVersion;

/**
 * Known holes of libraries, and why some are none here: {@code deploy/advisories}. Records are
 * OSV's, reasons are OpenVEX's with a day on which they end.
 */
record Advisories(JsonNode osv, JsonNode vex) {
  /** For so many days a list is good enough for a release. */
  static final int FRESH_DAYS = 60;

  private static final ObjectMapper JSON = new ObjectMapper();

  /** A library with its version, as a list of parts names it: {@code pkg:maven/GROUP/NAME@V}. */
  record Part(String group, String name, String version) {
    String coordinates() {
      return group + ":" + name;
    }

    String url() {
      return "pkg:maven/" + group + "/" + name + "@" + version;
    }
  }

  static Advisories read() throws IOException {
    Path directory = Path.of("advisories");
    return new Advisories(
        JSON.readTree(directory.resolve("osv.json").toFile()),
        JSON.readTree(directory.resolve("vex.json").toFile()));
  }

  /** Returns the parts that a CycloneDX list has. */
  static List<Part> parts(byte[] sbom) throws IOException {
    List<Part> parts = new ArrayList<>();
    for (JsonNode part : JSON.readTree(sbom).get("components")) {
      parts.add(
          new Part(
              part.path("group").asText(),
              part.get("name").asText(),
              part.get("version").asText()));
    }
    return parts;
  }

  /** Returns a line for each part with a hole that is not said to be none. */
  Set<String> holes(Iterable<Part> parts) {
    Set<String> found = new TreeSet<>();
    for (Part part : parts) {
      for (JsonNode record : osv.get("vulns")) {
        String id = record.get("id").asText();
        if (isAffected(record, part) && !isExcused(id, part)) {
          found.add(part.url() + " has " + id + ": " + record.get("summary").asText());
        }
      }
    }
    return found;
  }

  /** Returns what of the reasons is not as it must be, or is of no use any more. */
  Set<String> wrongReasons(Set<Part> parts) {
    Set<String> wrong = new TreeSet<>();
    for (JsonNode statement : vex.get("statements")) {
      String id = statement.at("/vulnerability/name").asText();
      if (statement.path("impact_statement").asText().length() < 20
          || statement.path("justification").asText().isEmpty()) {
        wrong.add(id + " has no reason");
      }
      LocalDate.parse(statement.path("expires").asText());
      for (JsonNode product : statement.get("products")) {
        String url = product.get("@id").asText();
        if (parts.stream().noneMatch(part -> part.url().equals(url) && isAffected(id, part))) {
          wrong.add(id + " is excused for " + url + ", which has no such hole or is not there");
        }
      }
    }
    return wrong;
  }

  /** Returns why a release of that day may not go by these lists, or nothing. */
  Set<String> tooOldFor(LocalDate day) {
    Set<String> old = new TreeSet<>();
    LocalDate refreshed = LocalDate.parse(osv.get("refreshed").asText());
    if (refreshed.plusDays(FRESH_DAYS).isBefore(day)) {
      old.add("advisories/osv.json is of " + refreshed + ": refresh it");
    }
    for (JsonNode statement : vex.get("statements")) {
      if (LocalDate.parse(statement.get("expires").asText()).isBefore(day)) {
        old.add(
            "the reason for "
                + statement.at("/vulnerability/name").asText()
                + " ended: look again");
      }
    }
    return old;
  }

  private boolean isAffected(String id, Part part) {
    for (JsonNode record : osv.get("vulns")) {
      if (record.get("id").asText().equals(id) && isAffected(record, part)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isAffected(JsonNode record, Part part) {
    for (JsonNode affected : record.get("affected")) {
      if (affected.at("/package/name").asText().equals(part.coordinates())) {
        for (JsonNode range : affected.get("ranges")) {
          if (isWithin(range.get("events"), new ComparableVersion(part.version()))) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /**
   * Events are in order, as OSV has them: a version is as the last one that it has reached says.
   */
  private static boolean isWithin(JsonNode events, ComparableVersion version) {
    boolean isWithin = false;
    for (JsonNode event : events) {
      if (event.has("introduced") && isFrom(version, event.get("introduced").asText())) {
        isWithin = true;
      }
      if (event.has("fixed") && isFrom(version, event.get("fixed").asText())) {
        isWithin = false;
      }
      if (event.has("last_affected")
          && version.compareTo(new ComparableVersion(event.get("last_affected").asText())) > 0) {
        isWithin = false;
      }
    }
    return isWithin;
  }

  private static boolean isFrom(ComparableVersion version, String first) {
    return version.compareTo(new ComparableVersion(first)) >= 0;
  }

  private boolean isExcused(String id, Part part) {
    for (JsonNode statement : vex.get("statements")) {
      if (statement.at("/vulnerability/name").asText().equals(id)
          && statement.get("status").asText().equals("not_affected")) {
        for (JsonNode product : statement.get("products")) {
          if (product.get("@id").asText().equals(part.url())) {
            return true;
          }
        }
      }
    }
    return false;
  }
}
