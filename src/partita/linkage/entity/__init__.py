"""The entity model: latent values, copied and varied by the records of an entity."""

__all__ = ()
