package io.retso.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.report.RunFigures.Kind;
import io.retso.report.RunFigures.Target;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ReportTest {
  @TempDir Path directory;

  @Test
  void tableHasARowForEachRunAndTheTargetsBesideTheFigures() {
    String text = ReportText.of(Samples.report()).replaceAll(" +", " ");
    assertTrue(text.contains("log off 1 x 100 500k 0.200"), text);
    assertTrue(text.contains("log on 16 x 100 500k 3.20"), text);
    assertTrue(text.contains("99 / 12 KB"), text);
    assertTrue(text.contains("fdatasync of 4 KB: p50 0.125 ms, p99 2.50 ms"), text);
    assertTrue(text.contains(">= 1.00M met"), text);
    assertTrue(text.contains("<= 1.3 missed 3 / 2 ms"), text);
  }

  @Test
  void ofRepeatedRunsTheMedianIsShown() {
    List<RunFigures> runs =
        List.of(
            Samples.run(Kind.PEAK, Target.LOG_ON, 4, 100, 1),
            Samples.run(Kind.PEAK, Target.LOG_ON, 4, 300, 1),
            Samples.run(Kind.PEAK, Target.LOG_OFF, 4, 900, 1),
            Samples.run(Kind.PEAK, Target.LOG_ON, 4, 200, 1));
    List<RunFigures> medians = ReportText.medians(runs);
    assertEquals(List.of(200.0, 900.0), medians.stream().map(RunFigures::perSecond).toList());
  }

  @Test
  void jsonHoldsEveryFigure() throws Exception {
    Path file = directory.resolve("bench.json");
    ReportJson.write(Samples.report(), file);
    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertEquals("0.1.0 (commit abc)", json.get("version").asText());
    assertEquals(2, json.get("machine").get("cores").asInt());
    assertEquals(4, json.get("runs").size());
    JsonNode last = json.get("runs").get(3);
    assertEquals("LOG_ON", last.get("target").asText());
    assertEquals(500_000, last.get("perSecond").asDouble());
    assertEquals(9.6, last.get("transaction").get("p99").asDouble(), 1e-9);
    assertEquals(99, last.get("log").get("transactionsPerEntry").asDouble());
    assertTrue(json.get("comparisons").get(0).get("what").isTextual());
  }

  @Test
  void figureIsWellFormedAndStaysInsideItsFrame() throws Exception {
    String svg = Figure.of(Samples.report(), "0 to 20 rows; a <fast> one & more");
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    Document document =
        factory
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    int width = Integer.parseInt(document.getDocumentElement().getAttribute("width"));
    int height = Integer.parseInt(document.getDocumentElement().getAttribute("height"));
    NodeList circles = document.getElementsByTagName("circle");
    assertTrue(circles.getLength() >= 4 + 3);
    for (int i = 0; i < circles.getLength(); i++) {
      Element circle = (Element) circles.item(i);
      double x = Double.parseDouble(circle.getAttribute("cx"));
      double y = Double.parseDouble(circle.getAttribute("cy"));
      assertTrue(x >= 0 && x <= width && y >= 0 && y <= height, "a point at " + x + ", " + y);
    }
    assertTrue(svg.contains("throughput (transactions per second)"));
    assertTrue(svg.contains("latency (ms"));
    assertTrue(svg.contains("&lt;fast&gt; one &amp; more"));
  }

  @Test
  void figureWithoutRunsShowsThePaper() {
    assertTrue(Figure.of(List.of(), "nothing").contains("the paper"));
  }

  @Test
  void numbersForPeople() {
    assertEquals("1.24M", Texts.rate(1_239_000));
    assertEquals("512k", Texts.rate(511_900));
    assertEquals("1.00M", Texts.rate(999_900));
    assertEquals("9,876", Texts.rate(9_876));
    assertEquals("0.123", Texts.millis(0.1234));
    assertEquals("1.23", Texts.millis(1.234));
    assertEquals("12.3", Texts.millis(12.34));
    assertEquals("123", Texts.millis(123.4));
    assertEquals("0.50%", Texts.percent(0.005));
    assertEquals("512 B", Texts.bytes(512));
    assertEquals("52 KB", Texts.bytes(52_400));
    assertEquals("1.5 MB", Texts.bytes(1_500_000));
  }

  @Test
  void percentilesAreInMilliseconds() {
    Histogram nanos = new Histogram(1_000_000_000L, 3);
    for (int i = 1; i <= 100; i++) {
      nanos.recordValue(i * 1_000_000L);
    }
    Percentiles p = Percentiles.of(nanos);
    assertEquals(100, p.count());
    assertEquals(50.5, p.mean(), 0.1);
    assertEquals(50, p.p50(), 0.1);
    assertEquals(99, p.p99(), 0.1);
    assertEquals(100, p.max(), 0.1);
  }
}
