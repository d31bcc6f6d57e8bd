/** Programs from recordings of a running application: {@link io.retso.advise.learn.Learner}. */
package io.retso.advise.learn;
