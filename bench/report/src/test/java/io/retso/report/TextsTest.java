package io.retso.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TextsTest {
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
