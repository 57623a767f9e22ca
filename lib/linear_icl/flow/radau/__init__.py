"""The flow of any landscape: Radau IIA collocation of ẋ = −∇loss on the flattened state.

With s stages the method has order 2s − 1 and is L-stable. ``system`` flattens the state,
``tables`` has the method's numbers, ``stages`` solves one step, ``march`` chooses the steps, and
``dense`` gives values between them.
"""
