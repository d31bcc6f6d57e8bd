package io.retso.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.FrameType;
import io.retso.security.Identity.Evidence;
import io.retso.security.Identity.Proof;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RoleTest {
  /** All but what everybody may send. A new type of frame needs a line. */
  private static final Map<FrameType, Set<Role>> MAY = new EnumMap<>(FrameType.class);

  static {
    Set<Role> own = EnumSet.of(Role.APPLICATION, Role.SWEEPER);
    Set<Role> regions = EnumSet.of(Role.APPLICATION, Role.SWEEPER, Role.REGION_SERVER);
    Set<Role> all = EnumSet.allOf(Role.class);
    MAY.put(FrameType.HELLO, all);
    MAY.put(FrameType.PING, all);
    MAY.put(FrameType.AUTH, all);
    MAY.put(FrameType.BEGIN, own);
    MAY.put(FrameType.TIMESTAMP, own);
    MAY.put(FrameType.SAFE, own);
    MAY.put(FrameType.COMMIT, own);
    MAY.put(FrameType.COMMIT_READS, own);
    MAY.put(FrameType.ABORT, own);
    MAY.put(FrameType.CLEANED, own);
    MAY.put(FrameType.STATUS, regions);
    MAY.put(FrameType.WATERMARK, regions);
    MAY.put(FrameType.KEYS, EnumSet.of(Role.REGION_SERVER));
    MAY.put(FrameType.VOUCH, EnumSet.of(Role.REGION_SERVER));
    MAY.put(FrameType.SWEPT, EnumSet.of(Role.SWEEPER));
    MAY.put(FrameType.HOLD, own);
    MAY.put(FrameType.RENEW, own);
    MAY.put(FrameType.RELEASE, EnumSet.of(Role.APPLICATION, Role.SWEEPER, Role.OPERATOR));
    MAY.put(FrameType.HOLDS, EnumSet.of(Role.APPLICATION, Role.SWEEPER, Role.OPERATOR));
  }

  private static Identity with(Set<Role> roles) {
    return Identity.known("p", roles, Proof.CERTIFICATE, Evidence.NONE);
  }

  @ParameterizedTest
  @EnumSource
  void eachFrameTakesItsRoles(FrameType type) {
    assertTrue(MAY.containsKey(type), "nothing is said of " + type);
    for (Role role : Role.values()) {
      Identity one = with(Set.of(role));
      assertEquals(MAY.get(type).contains(role), one.may(type), role + " and " + type);
      if (!one.may(type)) {
        assertTrue(one.refusal(type).contains(Role.thatMay(type)), one.refusal(type));
      }
    }
    assertEquals(MAY.get(type).equals(EnumSet.allOf(Role.class)), with(Set.of()).may(type));
    assertEquals(with(Set.of()).may(type), Identity.unknown().may(type));
  }

  @Test
  void rolesAddUp() {
    Identity both = with(EnumSet.of(Role.REGION_SERVER, Role.SWEEPER));
    for (FrameType type : FrameType.values()) {
      assertTrue(both.may(type));
    }
  }

  @Test
  void onlyWhoMustSaySomethingIsAsked() {
    assertTrue(Identity.unknown().isToSay());
    assertFalse(Identity.anonymous(Set.of(Role.APPLICATION)).isToSay());
    assertFalse(with(Set.of()).isToSay(), "it has, and may do nothing");
  }

  @Test
  void ownersAreTheirPrincipals() {
    Identity again = Identity.known("p", Set.of(), Proof.TOKEN, Evidence.NONE);
    assertEquals(with(Set.of()).owner(), again.owner(), "however it is known");
    assertEquals(Tickets.ANYBODY, Identity.unknown().owner());
    Identity other = Identity.known("q", Set.of(), Proof.TOKEN, Evidence.NONE);
    assertFalse(again.owner() == other.owner());
  }
}
